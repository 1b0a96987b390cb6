import type { Random } from '../../shared/random.ts';
import type { PosPayment, Reversal } from './pos-api.ts';

/**
 * The payments that took money, from all points of sale. Several tills can give back money of the same payment at the
 * same time.
 */
export class ReversiblePayments {
  readonly #payments: Reversal[] = [];

  add({ api, key, amount, gives }: PosPayment, answer: string): void {
    const { failure, reference, tip } = api.read(answer);
    if (gives || failure !== undefined || reference === undefined) return;
    const taken = amount + Math.round(tip * 100);
    this.#payments.push({ kind: 'reversal', of: key, reference, taken, given: new Map(), whole: true });
  }

  /**
   * Returns a reversal of one of the payments. Usually something is left of that payment, and often it is one of the
   * latest. Adyen's reversals name the payment by both references or by the host's reference alone.
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
