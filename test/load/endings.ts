import type { Random } from '../../shared/random.ts';
import type { PosPayment } from './pos.ts';

/** How payments ended for the POS: approved, an errorCondition, or that it never asked again. */
export type Endings = Record<string, number>;

export function countEndings(endings: Endings, payments: readonly PosPayment[]): void {
  for (const { answers } of payments) {
    const ending = answers[0] === undefined ? 'not asked' : endingOf(answers[0]);
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

function endingOf(answer: string): string {
  const { response } = JSON.parse(answer) as { response: { errorCondition?: string } };
  return response.errorCondition ?? 'approved';
}
