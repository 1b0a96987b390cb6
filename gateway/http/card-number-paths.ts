import { holdsCardNumber } from '../../shared/masking/card-numbers.ts';
import { findCardNumbers } from '../../shared/masking/find-card-numbers.ts';
import { memoizeRecent } from '../../shared/memoize-recent.ts';

/**
 * Returns whether a path has a card number. The results are kept in memory, because the same paths come again and
 * again.
 */
const pathHoldsCardNumber = memoizeRecent(holdsCardNumber);

/** Finds the parts of a request that have card numbers. */
export function findCardNumberPaths(path: string, headers: unknown, json: unknown): string[] {
  return [
    ...(pathHoldsCardNumber(path) ? ['address'] : []),
    ...findCardNumbers(headers),
    ...findCardNumbers(json),
  ];
}
