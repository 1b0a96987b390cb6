import { asRecord } from '../../shared/journal-fields.ts';
import type { PosRequest } from '../../shared/requests/pos-request.ts';
import {
  type AdyenMessageId,
  makeAdyenPaymentMessage,
  makeReversalMessage,
  transactionIdIn,
} from '../environment/adyen.ts';
import { nexoOutcomeIn } from '../environment/nexo-outcome.ts';
import type { IdPlaceholders } from './known-ids.ts';

/** The names that the scenario gives to the payment requests of a recording. */
interface Names {
  sale(of: { key?: string; transaction?: string }): string | undefined;
  ids: IdPlaceholders;
}

/** A message of Adyen's Terminal API that begins a payment, a reversal or a refund. */
type BeginningMessage = {
  readonly name: AdyenMessageId;
  /** The amount in major units. */
  readonly amount: number | undefined;
  readonly reference: string | undefined;
  /** The body of the request, as it was sent. */
  readonly body: Record<string, unknown>;
} & (
  | { readonly begins: 'payment' | 'refund'; readonly currency: string }
  /** For a reversal, `original` is the name that the host gave to the reversed payment. */
  | { readonly begins: 'reversal'; readonly original: string }
);
type PaymentMessage = Extract<BeginningMessage, { begins: 'payment' | 'refund' }>;
type ReversalMessage = Extract<BeginningMessage, { begins: 'reversal' }>;

/** Reads a message. Undefined if the message begins nothing at a terminal. */
export function readTransactionRequest({
  isOfDialect,
  body: sent,
}: PosRequest): BeginningMessage | undefined {
  if (!isOfDialect) return undefined;
  const message = asRecord(asRecord(sent).SaleToPOIRequest);
  const { ServiceID, SaleID, POIID } = asRecord(message.MessageHeader);
  const body = asRecord(message.ReversalRequest ?? message.PaymentRequest);
  const { TransactionID } = asRecord(asRecord(body.SaleData).SaleTransactionID);
  const read = {
    name: { SaleID: String(SaleID), POIID: String(POIID), ServiceID: String(ServiceID) },
    reference: typeof TransactionID === 'string' ? TransactionID : undefined,
    body,
  };
  if (message.ReversalRequest !== undefined) {
    const { POITransactionID } = asRecord(body.OriginalPOITransaction);
    const original = String(asRecord(POITransactionID).TransactionID);
    return { begins: 'reversal', ...read, amount: numberOf(body.ReversedAmount), original };
  }
  if (message.PaymentRequest === undefined) return undefined;
  const { PaymentType } = asRecord(body.PaymentData);
  const { Currency, RequestedAmount } = asRecord(asRecord(body.PaymentTransaction).AmountsReq);
  const begins = PaymentType === 'Refund' ? 'refund' : 'payment';
  return { begins, ...read, amount: numberOf(RequestedAmount), currency: String(Currency) };
}

function numberOf(value: unknown): number | undefined {
  return typeof value === 'number' ? value : undefined;
}

/**
 * Whether `transaction` names the payment of a message. This is true if `transaction` is the TransactionID in the
 * message's answer, or the part of this TransactionID after a dot (the host's reference).
 */
export function hasTransactionId({ answered }: PosRequest, transaction: string): boolean {
  const told = transactionIdIn(answered?.data.body);
  return told !== undefined && (told === transaction || told.endsWith(`.${transaction}`));
}

/** Returns the step that sends a message of Adyen's Terminal API again. `at` names the terminal. */
export function stepOfMessage(request: PosRequest, at: object, names: Names): Record<string, unknown> {
  const message = readTransactionRequest(request);
  const step = message ? beginningStep(message, names) : stepAbout(request, names);
  if (step) return message ? { ...step, ...at } : step;
  return { request: `POST ${request.path}`, body: names.ids.put(request.body), api: 'adyen' };
}

function beginningStep(message: BeginningMessage, names: Names): Record<string, unknown> | undefined {
  return message.begins === 'reversal' ? reversalStep(message, names) : payStep(message, names);
}

function payStep(message: PaymentMessage, { ids }: Names): Record<string, unknown> | undefined {
  const { begins, amount, currency, reference, name } = message;
  if (amount === undefined) return undefined;
  const isRefund = begins === 'refund';
  const body = isRefund ? { PaymentData: { PaymentType: 'Refund' } } : undefined;
  const made = makeAdyenPaymentMessage({ amount, reference, body }, currency, name);
  return { [isRefund ? 'refund' : 'pay']: amount, ...detailsOf(message, made, ids) };
}

function reversalStep(message: ReversalMessage, { sale, ids }: Names): Record<string, unknown> | undefined {
  const { amount, original, reference, name } = message;
  const of = sale({ transaction: original });
  if (of === undefined) return undefined;
  const made = makeReversalMessage(original, { amount, reference }, name);
  return { refund: amount ?? 'all', of, ...detailsOf(message, made, ids) };
}

/** Returns the step that asks about an earlier payment, or that aborts an earlier payment. */
function stepAbout({ kind, named }: PosRequest, { sale }: Names): Record<string, unknown> | undefined {
  const of = typeof named.idempotencyKey === 'string' ? sale({ key: named.idempotencyKey }) : undefined;
  if (of !== undefined && kind === 'status') return { 'ask status': of };
  return of !== undefined && kind === 'abort' ? { abort: of } : undefined;
}

/**
 * Returns the further fields of a step that sends a message. `made` is the message that the step would send if it had
 * no field `body`.
 */
function detailsOf({ name, reference, body }: BeginningMessage, made: object, ids: IdPlaceholders): object {
  const { PaymentRequest, ReversalRequest } = asRecord(asRecord(made).SaleToPOIRequest);
  const rest = ids.put(leftOver(body, asRecord(ReversalRequest ?? PaymentRequest)));
  return {
    api: 'adyen',
    key: name.ServiceID,
    ...(reference !== undefined && { reference }),
    ...(Object.keys(rest).length > 0 && { body: rest }),
  };
}

/** Returns the fields of a body that the words of a scenario cannot express. */
function leftOver(body: Record<string, unknown>, made: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(body).filter(([field, value]) => !isSame(value, made[field])));
}

/** Whether two messages are equal, apart from their time stamps. A time stamp is the time of the recording. */
function isSame(one: unknown, other: unknown): boolean {
  const text = (value: unknown) =>
    JSON.stringify(value, (field, each) => (field === 'TimeStamp' ? undefined : each));
  return text(one) === text(other);
}

/** Returns the expectation for the answer to a message. */
export function makeAdyenAnswerExpectation({ kind, answered }: PosRequest, name: string) {
  if (!answered) return undefined;
  const { status, body } = answered.data;
  if (typeof body === 'string') return { expect: { answer: { status, body } }, of: name };
  const outcome = kind === 'abort' ? undefined : nexoOutcomeIn(asRecord(body));
  if (outcome !== undefined && !outcome.includes(' ')) return { expect: outcome, of: name };
  return { expect: { answer: status }, of: name };
}
