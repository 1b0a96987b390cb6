import type { PosRequest } from '../requests/pos-request.ts';
import { sameSaleMs } from '../sales/same-sale.ts';
import {
  bothSucceeded,
  computePauseBeforeRetryMs,
  describeOutcomeKnowledge,
  describeRetryKey,
  findRetries,
  makeRetryOccurrence,
  type RetryPair,
} from './retries.ts';
import type { LintInput, Occurrence } from './rule.ts';

/**
 * Finds reversals and card refunds that give the same money back a second time, although the first request may have
 * succeeded (B514).
 */
export function findBlindGiveBacks({ requests }: Pick<LintInput, 'requests'>): RetryPair[] {
  return (['reversal', 'cardRefund'] as const).flatMap((kind) =>
    findRetries(
      requests.filter((request) => request.kind === kind),
      requests,
      isSame,
    ),
  );
}

/** Reports each request that {@link findBlindGiveBacks} finds as one occurrence of the mistake. */
export function findBlindGiveBackOccurrences(watched: LintInput): Occurrence[] {
  return findBlindGiveBacks(watched).map((retried) => {
    const { retry } = retried;
    const again = `a ${retry.kind === 'reversal' ? 'reversal' : 'refund'} of ${retry.givesBack} was requested again with ${describeRetryKey(retry)} ${describeOutcomeKnowledge(watched, retried)}`;
    const what = bothSucceeded(watched, retried) ? `the customer was refunded twice: ${again}` : again;
    return makeRetryOccurrence(retried, what, makeGiveBackGroupKey(retry));
  });
}

/**
 * Whether both requests give back the same money. `makeGiveBackGroupKey` gives no key for a reversal of the whole remaining
 * amount, because a second such reversal gives back nothing.
 */
function isSame(first: PosRequest, retry: PosRequest): boolean {
  const key = makeGiveBackGroupKey(retry);
  return (
    key !== undefined &&
    key === makeGiveBackGroupKey(first) &&
    computePauseBeforeRetryMs(first, retry) <= sameSaleMs
  );
}

/**
 * Returns a text for a request that gives money back. The text consists of the payment or sale and the amount that is
 * given back. Requests with the same text give the same money back. Returns undefined for a reversal of the whole
 * remaining amount, which cannot give money back twice, and for all requests that give nothing back.
 */
export function makeGiveBackGroupKey(request: PosRequest): string | undefined {
  const { accountId, original, reference, givesBack } = request;
  const of = original ?? reference;
  return givesBack === undefined || of === undefined ? undefined : `b\n${accountId}\n${of}\n${givesBack}`;
}
