import type { Random } from '../../shared/random.ts';
import { nativeApi } from './native-api.ts';
import type { PosPayment } from './pos-api.ts';

/** How payments ended for the POS: approved, an errorCondition, that it never asked again, or gave up on a missing link. */
export type Endings = Record<string, number>;

export function countEndings(endings: Endings, payments: readonly PosPayment[]): void {
  for (const payment of payments) {
    const ending = endingOf(payment);
    endings[ending] = (endings[ending] ?? 0) + 1;
  }
}

/** The most frequent first. */
export function countsText(counts: Readonly<Record<string, number>>): string {
  return Object.entries(counts)
    .toSorted(([, a], [, b]) => b - a)
    .map(([what, count]) => `${count} ${what}`)
    .join(', ');
}

/** How many payments of former rounds are asked for again after each round. */
const askedAgain = 10;

/** Payments of former rounds, drawn by the dice: their keys must still answer. */
export function someOf(random: Random, all: readonly PosPayment[]): PosPayment[] {
  if (all.length === 0) return [];
  return Array.from({ length: askedAgain }, () => all[random.int(all.length)] as PosPayment);
}

export function endingOf({ api, answers: [answer], unlinked }: PosPayment): string {
  if (answer === undefined) return unlinked > 0 ? 'without a link' : 'not asked';
  return api.read(answer).failure ?? 'approved';
}

/** Asked for in an API that is not the gateway's own. */
export function isForeign({ api }: PosPayment): boolean {
  return api !== nativeApi;
}
