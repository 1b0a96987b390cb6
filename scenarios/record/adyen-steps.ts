import { asRecord } from '../../shared/journal-fields.ts';
import type { PosRequest } from '../../shared/requests/pos-request.ts';
import { adyenPaymentMessage, reversalMessage, transactionIn } from '../environment/adyen.ts';
import { nexoOutcomeIn } from '../environment/nexo-outcome.ts';
import type { Order } from '../environment/order.ts';
import type { KnownIds } from './known-ids.ts';

/** The names that a scenario gives to the payment requests of a recording. */
interface Names {
  sale(of: { key?: string; transaction?: string }): string | undefined;
  ids: KnownIds;
}

/** The thing that a message begins at a terminal: it takes money, or gives it back. */
export function begunBy({ isOfDialect, body }: PosRequest): 'payment' | 'refund' | 'reversal' | undefined {
  if (!isOfDialect) return undefined;
  const { PaymentRequest, ReversalRequest } = asRecord(asRecord(body).SaleToPOIRequest);
  if (ReversalRequest !== undefined) return 'reversal';
  if (PaymentRequest === undefined) return undefined;
  const { PaymentType } = asRecord(asRecord(PaymentRequest).PaymentData);
  return PaymentType === 'Refund' ? 'refund' : 'payment';
}

/** Whether the answer to a message, or the host, gives its payment this name. */
export function isTransaction({ answered }: PosRequest, transaction: string): boolean {
  const told = transactionIn(answered?.data.body);
  return told !== undefined && (told === transaction || told.endsWith(`.${transaction}`));
}

/** The step that sends a message of Adyen's Terminal API again; `at` names its terminal. */
export function stepOfMessage(request: PosRequest, at: object, names: Names): Record<string, unknown> {
  const { kind, named } = request;
  const of = typeof named.idempotencyKey === 'string' ? names.sale({ key: named.idempotencyKey }) : undefined;
  const begun = begunBy(request);
  if (begun === 'reversal') return reversalStep(request, at, names);
  if (begun !== undefined) return payStep(request, at, names, begun === 'refund');
  if (of !== undefined && kind === 'status') return { 'ask status': of };
  if (of !== undefined && kind === 'abort') return { abort: of };
  return messageStep(request, names);
}

/** The message as it was sent. */
function messageStep({ path, body }: PosRequest, { ids }: Names): Record<string, unknown> {
  return { request: `POST ${path}`, body: ids.put(body), api: 'adyen' };
}

function reversalStep(request: PosRequest, at: object, names: Names): Record<string, unknown> {
  const { message, name } = read(request);
  const body = asRecord(message.ReversalRequest);
  const { POITransactionID } = asRecord(body.OriginalPOITransaction);
  const original = String(asRecord(POITransactionID).TransactionID);
  const of = names.sale({ transaction: original });
  if (of === undefined) return messageStep(request, names);
  const amount = typeof body.ReversedAmount === 'number' ? body.ReversedAmount : undefined;
  const { TransactionID } = asRecord(asRecord(body.SaleData).SaleTransactionID);
  const reference = typeof TransactionID === 'string' ? TransactionID : undefined;
  const said = asRecord(asRecord(reversalMessage(original, { amount, reference }, name)).SaleToPOIRequest);
  return {
    refund: amount ?? 'all',
    of,
    ...given(name.ServiceID, reference, names.ids.put(restOf(body, said.ReversalRequest))),
    ...at,
  };
}

/** Reads a message, and the names in it. */
function read({ body }: PosRequest) {
  const message = asRecord(asRecord(body).SaleToPOIRequest);
  const { ServiceID, SaleID, POIID } = asRecord(message.MessageHeader);
  return { message, name: { SaleID: String(SaleID), POIID: String(POIID), ServiceID: String(ServiceID) } };
}

/** The fields that the words of a scenario do not express. */
function restOf(body: Record<string, unknown>, said: unknown): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(body).filter(([field, value]) => !isSame(value, asRecord(said)[field])),
  );
}

function given(key: string, reference: string | undefined, body: Record<string, unknown>) {
  return {
    api: 'adyen',
    key,
    ...(reference !== undefined && { reference }),
    ...(Object.keys(body).length > 0 && { body }),
  };
}

function payStep(request: PosRequest, at: object, names: Names, refund: boolean): Record<string, unknown> {
  const { message, name } = read(request);
  const body = asRecord(message.PaymentRequest);
  const { SaleTransactionID } = asRecord(body.SaleData);
  const { Currency, RequestedAmount } = asRecord(asRecord(body.PaymentTransaction).AmountsReq);
  const { TransactionID } = asRecord(SaleTransactionID);
  if (typeof RequestedAmount !== 'number') return messageStep(request, names);
  const order: Order = {
    amount: RequestedAmount,
    ...(typeof TransactionID === 'string' && { reference: TransactionID }),
  };
  const more = refund ? { body: { PaymentData: { PaymentType: 'Refund' } } } : {};
  const said = asRecord(
    asRecord(adyenPaymentMessage({ ...order, ...more }, String(Currency), name)).SaleToPOIRequest,
  );
  return {
    [refund ? 'refund' : 'pay']: RequestedAmount,
    ...given(name.ServiceID, order.reference, names.ids.put(restOf(body, said.PaymentRequest))),
    ...at,
  };
}

/** The moment in a message is that of its recording, so it is not compared. */
function isSame(one: unknown, other: unknown): boolean {
  const text = (value: unknown) =>
    JSON.stringify(value, (field, each) => (field === 'TimeStamp' ? undefined : each));
  return text(one) === text(other);
}

/** The expectation for the answer to a message. */
export function expectationOfMessage({ kind, answered }: PosRequest, name: string) {
  if (!answered) return undefined;
  const { status, body } = answered.data;
  if (typeof body === 'string') return { expect: { answer: { status, body } }, of: name };
  const outcome = kind === 'abort' ? undefined : nexoOutcomeIn(asRecord(body));
  if (outcome !== undefined && !outcome.includes(' ')) return { expect: outcome, of: name };
  return { expect: { answer: status }, of: name };
}
