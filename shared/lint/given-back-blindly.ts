import type { PosRequest } from '../requests/pos-request.ts';
import { sameSaleMs } from '../sales/same-sale.ts';
import {
  betweenMs,
  bothSucceeded,
  newKey,
  type Retry,
  retriesIn,
  seenRetry,
  whatWasKnown,
} from './retries.ts';
import type { Seen, Watched } from './rule.ts';

/**
 * Finds reversals and card refunds that give the same money back again, although the first one may have succeeded
 * (B514).
 */
export function givenBackBlindly({ requests }: Pick<Watched, 'requests'>): Retry[] {
  return (['reversal', 'cardRefund'] as const).flatMap((kind) =>
    retriesIn(
      requests.filter((request) => request.kind === kind),
      requests,
      isSame,
    ),
  );
}

/** Makes the occurrences of this rule: one for each request that {@link givenBackBlindly} finds. */
export function seenGivenBackBlindly(watched: Watched): Seen[] {
  return givenBackBlindly(watched).map((retried) => {
    const { retry } = retried;
    const again = `a ${retry.kind === 'reversal' ? 'reversal' : 'refund'} of ${retry.givesBack} was requested again with ${newKey(retry)} ${whatWasKnown(watched, retried)}`;
    const what = bothSucceeded(watched, retried) ? `the customer was refunded twice: ${again}` : again;
    return seenRetry(retried, what, givenBackKey(retry));
  });
}

/**
 * Whether both requests give back the same money. `givenBackKey` gives no key for a reversal of all that is left,
 * because a second one gives back nothing.
 */
function isSame(first: PosRequest, retry: PosRequest): boolean {
  const key = givenBackKey(retry);
  return key !== undefined && key === givenBackKey(first) && betweenMs(first, retry) <= sameSaleMs;
}

/**
 * Returns a text that identifies the money that a request gives back, and its payment. Returns undefined for a reversal
 * of all that is left, which cannot give money back twice, and for all other requests.
 */
export function givenBackKey(request: PosRequest): string | undefined {
  const { accountId, original, reference, givesBack } = request;
  const of = original ?? reference;
  return givesBack === undefined || of === undefined ? undefined : `b\n${accountId}\n${of}\n${givesBack}`;
}
