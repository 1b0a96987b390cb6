import { asRecord } from '../../shared/journal-fields.ts';
import type { PosRequest } from '../../shared/requests/pos-request.ts';
import { paymentMessage } from '../environment/adyen.ts';
import { nexoOutcomeIn } from '../environment/nexo-outcome.ts';
import type { Order } from '../environment/order.ts';
import type { KnownIds } from './known-ids.ts';

/** What a scenario calls the payment requests of a recording. */
interface Names {
  sale(of: { key: string }): string | undefined;
  ids: KnownIds;
}

/** The step that sends a message of Adyen's Terminal API again; `at` names its terminal. */
export function stepOfMessage(request: PosRequest, at: object, names: Names): Record<string, unknown> {
  const { kind, named } = request;
  const of = typeof named.idempotencyKey === 'string' ? names.sale({ key: named.idempotencyKey }) : undefined;
  if (kind === 'payment') return payStep(request, at, names.ids);
  if (of !== undefined && kind === 'status') return { 'ask status': of };
  if (of !== undefined && kind === 'abort') return { abort: of };
  return { request: `POST ${request.path}`, body: names.ids.put(request.body), api: 'adyen' };
}

function payStep(request: PosRequest, at: object, ids: KnownIds): Record<string, unknown> {
  const message = asRecord(asRecord(request.body).SaleToPOIRequest);
  const { ServiceID, SaleID, POIID } = asRecord(message.MessageHeader);
  const body = asRecord(message.PaymentRequest);
  const { SaleTransactionID } = asRecord(body.SaleData);
  const { Currency, RequestedAmount } = asRecord(asRecord(body.PaymentTransaction).AmountsReq);
  const { TransactionID } = asRecord(SaleTransactionID);
  const order: Order = {
    ...(typeof RequestedAmount === 'number' && { amount: RequestedAmount }),
    ...(typeof TransactionID === 'string' && { reference: TransactionID }),
  };
  const name = { SaleID: String(SaleID), POIID: String(POIID), ServiceID: String(ServiceID) };
  const said = asRecord(asRecord(paymentMessage(order, String(Currency), name)).SaleToPOIRequest);
  const rest = Object.entries(body).filter(
    ([field, value]) => !isSame(value, asRecord(said.PaymentRequest)[field]),
  );
  return {
    pay: order.amount ?? 0,
    api: 'adyen',
    key: name.ServiceID,
    ...(order.reference !== undefined && { reference: order.reference }),
    ...(rest.length > 0 && { body: ids.put(Object.fromEntries(rest)) }),
    ...at,
  };
}

/** The moment of a message is that of its recording. */
function isSame(one: unknown, other: unknown): boolean {
  const text = (value: unknown) =>
    JSON.stringify(value, (field, each) => (field === 'TimeStamp' ? undefined : each));
  return text(one) === text(other);
}

/** What must be seen again when a message is answered. */
export function expectationOfMessage({ kind, answered }: PosRequest, name: string) {
  if (!answered) return undefined;
  const { status, body } = answered.data;
  if (typeof body === 'string') return { expect: { answer: { status, body } }, of: name };
  const outcome = kind === 'payment' || kind === 'status' ? nexoOutcomeIn(asRecord(body)) : undefined;
  if (outcome !== undefined && !outcome.includes(' ')) return { expect: outcome, of: name };
  return { expect: { answer: status }, of: name };
}
