import type { PosRequest } from '../requests/pos-request.ts';
import {
  endEntryOf,
  entriesOfRequest,
  hasOutcome,
  isOutcomeUnknown,
  isPaymentUnderWay,
  type LintInput,
  makeRequestOccurrence,
  type Occurrence,
} from './rule.ts';

/** A request, and a later request that does the same thing again with another key or without a key. */
export interface RetryPair {
  /** The request whose outcome the point of sale did not learn. */
  readonly first: PosRequest;
  readonly retry: PosRequest;
}

/**
 * Finds requests that repeat an earlier request whose outcome the point of sale had not learnt.
 *
 * @param of all requests of one kind
 * @param isSame whether the later request does the same as the earlier one
 */
export function findRetries(
  of: readonly PosRequest[],
  requests: readonly PosRequest[],
  isSame: (first: PosRequest, retry: PosRequest) => boolean,
): RetryPair[] {
  const begun = of.filter((request) => !isRefused(request));
  return begun.flatMap((retry, index) => {
    for (let at = index - 1; at >= 0; at--) {
      const first = begun[at] as PosRequest;
      if (!isUnknown(first, retry) || !isOther(first, retry) || !isSame(first, retry)) continue;
      if (!isLearnt(first, retry, requests)) return [{ first, retry }];
    }
    return [];
  });
}

function isOther(first: PosRequest, retry: PosRequest): boolean {
  if (first.payment !== undefined && first.payment === retry.payment) return false;
  return first.key === undefined || first.key !== retry.key;
}

/** Whether the first request still had no answer with an outcome when the second request came. */
function isUnknown(first: PosRequest, retry: PosRequest): boolean {
  return wasOpen(first, retry) || isOutcomeUnknown(first) || isPaymentUnderWay(first);
}

function wasOpen(first: PosRequest, retry: PosRequest): boolean {
  const end = endEntryOf(first);
  return end === undefined || end.seq > retry.received.seq;
}

/** Whether the gateway refused the request before a payment existed (B59). */
function isRefused({ status = 0 }: PosRequest): boolean {
  return (status >= 400 && status < 500) || status === 501;
}

/** Whether the point of sale had asked for the outcome of `first`, and got it, before it sent `retry`. */
function isLearnt(first: PosRequest, retry: PosRequest, requests: readonly PosRequest[]): boolean {
  return requests.some(
    (request) =>
      hasOutcome(request) &&
      isAboutSamePayment(request, first) &&
      (endEntryOf(request)?.seq ?? 0) < retry.received.seq,
  );
}

/** Whether a request names the payment or the key of another request. */
export function isAboutSamePayment(request: PosRequest, first: PosRequest): boolean {
  if (request.payment !== undefined && request.payment === first.payment) return true;
  const { paymentKey } = request;
  return paymentKey !== undefined && paymentKey === first.key;
}

/** The time from the end of the first request to the arrival of the second, in milliseconds. */
export function computePauseBeforeRetryMs(first: PosRequest, retry: PosRequest): number {
  return retry.received.at - (endEntryOf(first) ?? first.received).at;
}

export function describeRetryKey({ key, keyText, isOfDialect }: PosRequest): string {
  if (key === undefined) return 'no key';
  return isOfDialect ? `a new one, ${keyText},` : `a new key, ${key},`;
}

export function describeOutcomeKnowledge({ requests }: LintInput, { first, retry }: RetryPair): string {
  const asked = requests.filter(
    (request) =>
      request.kind === 'status' &&
      isAboutSamePayment(request, first) &&
      request.received.seq < retry.received.seq,
  );
  const named = first.key === undefined ? '' : ` with ${first.keyText}`;
  const last = asked.at(-1);
  if (last?.status === 404)
    return `after a ${last.as ?? 404}, although the earlier request${named} may still arrive`;
  const { status } = first;
  if (status !== undefined && status >= 500)
    return `after a ${status}, although the earlier request${named} may have been carried out`;
  return `while the outcome of the earlier request${named} was not known`;
}

/** Whether both requests moved money. */
export function bothSucceeded({ conclusionOf }: LintInput, { first, retry }: RetryPair): boolean {
  return [first, retry].every(
    ({ payment }) => payment !== undefined && conclusionOf(payment)?.data.result === 'success',
  );
}

/** Describes the repetition of an earlier request as one occurrence of a mistake. */
export function makeRetryOccurrence({ first, retry }: RetryPair, what: string, cause?: string): Occurrence {
  const entries = [...entriesOfRequest(first), ...entriesOfRequest(retry)];
  return makeRequestOccurrence(retry, what, { cause, entries, payment: retry.payment ?? first.payment });
}
