import type { Random } from '../../shared/random.ts';
import type { PosPayment, Reversal } from './pos-api.ts';

/** How what gives money back ended for the POS. */
export interface GivenBackFigures {
  reversals: number;
  /** Of those, whole or in part, and refused since others had given it back. */
  givenBack: number;
  tooMuch: number;
  refunds: number;
  refunded: number;
}

export const noneGivenBack: GivenBackFigures = {
  reversals: 0,
  givenBack: 0,
  tooMuch: 0,
  refunds: 0,
  refunded: 0,
};

/** Payments of all points of sale that took money, so that several give back of one at once. */
export class Paid {
  readonly #payments: Reversal[] = [];

  add({ api, key, amount, gives }: PosPayment, answer: string): void {
    const { failure, reference, tip } = api.read(answer);
    if (gives || failure !== undefined || reference === undefined) return;
    const taken = amount + Math.round(tip * 100);
    this.#payments.push({ kind: 'reversal', of: key, reference, taken, given: new Map(), whole: true });
  }

  /**
   * Gives back of one of them: mostly one of which something is left, and often one of the latest. Adyen names it by both
   * references, or by the host's alone.
   */
  reversal(random: Random): Reversal | undefined {
    const left = this.#payments.filter(({ taken, given }) => sumOf(given) < taken);
    const some = random.int(6) === 0 ? this.#payments : left;
    const among = random.int(2) === 0 ? some.slice(-3) : some;
    const paid = among[random.int(Math.max(1, among.length))];
    if (!paid) return undefined;
    const reference = random.int(2) === 0 ? paid.reference : (paid.reference.split('.').at(-1) as string);
    return { ...paid, reference, whole: random.int(2) === 0 };
  }
}

export function sumOf(given: Reversal['given']): number {
  return [...given.values()].reduce((sum, each) => sum + each, 0);
}

export function countGivenBack(figures: GivenBackFigures, payments: readonly PosPayment[]): void {
  for (const { api, gives, answers, tooMuch } of payments) {
    if (!gives) continue;
    const succeeded = answers[0] !== undefined && api.read(answers[0]).failure === undefined ? 1 : 0;
    if (gives.kind === 'refund') {
      figures.refunds++;
      figures.refunded += succeeded;
      continue;
    }
    figures.reversals++;
    figures.givenBack += succeeded;
    figures.tooMuch += tooMuch > 0 && answers.length === 0 ? 1 : 0;
  }
}

export function givenBackText(figures: GivenBackFigures): string {
  const { reversals, givenBack, tooMuch, refunds, refunded } = figures;
  return `${reversals} reversals (${givenBack} given back, ${tooMuch} of too much), ${refunds} card refunds (${refunded} given)`;
}
