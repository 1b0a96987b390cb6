import type { PosRequest } from '../requests/pos-request.ts';
import { sameSaleMs } from '../sales/same-sale.ts';
import {
  endOf,
  entriesOf,
  hasOutcome,
  isUnderWay,
  type LintRule,
  leftUnknown,
  type Watched,
} from './rule.ts';

/** Only the same key makes it safe to send a payment request again (B55, B251). */
export const blindPaymentRetry: LintRule = {
  id: 'blind-payment-retry',
  severity: 'error',
  why: 'with another key, or none, it is another payment: the customer pays twice if the first one went through, or is on its way',
  fixInNexo:
    'send the same message again with its ServiceID, or ask for its TransactionStatus until that is not InProgress, before you begin another payment for the sale',
  fix: 'send the request again with the same Idempotency-Key, or ask for the status by it until it answers 200, before you begin another payment for the sale',
  check: (watched) =>
    retriedBlindly(watched).map(({ first, retry }) => ({
      of: retry,
      cause: saleOf(retry),
      what: `${twice(watched, first, retry)}${saleName(first)} was requested again with ${newKey(retry)} ${whatWasKnown(watched, first, retry)}`,
      entries: [...entriesOf(first), ...entriesOf(retry)],
      payment: retry.payment ?? first.payment,
    })),
};

function newKey({ key, keyText, isOfDialect }: PosRequest): string {
  if (key === undefined) return 'no key';
  return isOfDialect ? `a new one, ${keyText},` : `a new key, ${key},`;
}

/** Without a reference, the same request again so soon is the same sale; later it is another customer's. */
const soonMs = 10 * 60_000;

interface Retry {
  /** What became of it was not learnt. */
  readonly first: PosRequest;
  readonly retry: PosRequest;
}

/** Payment requests that began another payment for a sale whose last one has an outcome that was not learnt before. */
export function retriedBlindly({ requests, isCrowded }: Pick<Watched, 'requests' | 'isCrowded'>): Retry[] {
  const payments = requests.filter((request) => request.kind === 'payment' && !isRefused(request));
  return payments.flatMap((retry, index) => {
    for (let at = index - 1; at >= 0; at--) {
      const first = payments[at] as PosRequest;
      if (
        !isUnknown(first, retry) ||
        !isOtherPayment(first, retry) ||
        !isSameSale(first, retry, isCrowded(retry))
      )
        continue;
      if (!isLearnt(first, retry, requests)) return [{ first, retry }];
    }
    return [];
  });
}

/** However often a sale is retried so, it is one cause. */
function saleOf({ accountId, reference, path, body }: PosRequest): string {
  return `${accountId} ${reference ?? `${path} ${JSON.stringify(body)}`}`;
}

function isOtherPayment(first: PosRequest, retry: PosRequest): boolean {
  if (first.payment !== undefined && first.payment === retry.payment) return false;
  return first.key === undefined || first.key !== retry.key;
}

/** By what became of the request itself, when the other came. */
function isUnknown(first: PosRequest, retry: PosRequest): boolean {
  return wasOpen(first, retry) || leftUnknown(first) || isUnderWay(first);
}

function wasOpen(first: PosRequest, retry: PosRequest): boolean {
  const end = endOf(first);
  return end === undefined || end.seq > retry.received.seq;
}

/** Refused before there was a payment (B59). */
function isRefused({ status = 0 }: PosRequest): boolean {
  return (status >= 400 && status < 500) || status === 501;
}

/** By its reference; without one, the same request again. */
function isSameSale(first: PosRequest, retry: PosRequest, isCrowded: boolean): boolean {
  if (first.accountId !== retry.accountId || first.reference !== retry.reference) return false;
  const betweenMs = retry.received.at - (endOf(first) ?? first.received).at;
  const isNamed = first.reference !== undefined && !isCrowded;
  if (betweenMs > (isNamed ? sameSaleMs : soonMs)) return false;
  return isNamed || isSameRequest(first, retry);
}

function isSameRequest(first: PosRequest, retry: PosRequest): boolean {
  return first.path === retry.path && JSON.stringify(first.body) === JSON.stringify(retry.body);
}

/** Whether the point of sale had asked for the outcome of `first`, and got it, when it sent `retry`. */
function isLearnt(first: PosRequest, retry: PosRequest, requests: readonly PosRequest[]): boolean {
  return requests.some(
    (request) =>
      hasOutcome(request) && isAbout(request, first) && (endOf(request)?.seq ?? 0) < retry.received.seq,
  );
}

function isAbout(request: PosRequest, first: PosRequest): boolean {
  if (request.payment !== undefined && request.payment === first.payment) return true;
  const key = request.kind === 'payment' ? request.key : request.named.idempotencyKey;
  return key !== undefined && key === first.key;
}

function saleName({ reference, terminal }: PosRequest): string {
  return reference === undefined ? `the same payment at terminal ${terminal}` : `sale ${reference}`;
}

function whatWasKnown({ requests }: Watched, first: PosRequest, retry: PosRequest): string {
  const asked = requests.filter(
    (request) =>
      request.kind === 'status' && isAbout(request, first) && request.received.seq < retry.received.seq,
  );
  const named = first.key === undefined ? '' : ` with ${first.keyText}`;
  const last = asked.at(-1);
  if (last?.status === 404)
    return `after a ${last.as ?? 404}, which is no proof: the request before${named} may still arrive`;
  const { status } = first;
  if (status !== undefined && status >= 500)
    return `after a ${status}, which does not say what became of the request before${named}`;
  return `while the outcome of the request before${named} was not learnt`;
}

function twice({ conclusionOf }: Watched, first: PosRequest, retry: PosRequest): string {
  const isPaid = ({ payment }: PosRequest) =>
    payment !== undefined && conclusionOf(payment)?.data.result === 'success';
  return isPaid(first) && isPaid(retry) ? 'the customer paid twice: ' : '';
}
