import type { OriginalPayment } from '../../gateway/payments/core/giving-back.ts';
import type { Input } from '../../gateway/payments/core/step.ts';
import type { Disk } from './disk.ts';
import { amountLeft, amountsGivenBack, asRefund, asReversal, originalOf, paidOn } from './giving-back.ts';
import { accepted } from './inputs.ts';

type Accepted = Extract<Input, { is: 'accepted' }>;

/** Draws what points of sale request of the terminal. */
export class Orders {
  readonly ids: string[] = ['unknown'];
  readonly #int: (below: number) => number;
  readonly #disk: Disk;
  /** The payments as gateways read them before they gave money back. */
  readonly #read: OriginalPayment[] = [];

  constructor(int: (below: number) => number, disk: Disk) {
    this.#int = int;
    this.#disk = disk;
  }

  /**
   * Returns a payment request, or often a reversal if there is money to give back. Returns undefined if nothing is left
   * of the chosen payment.
   */
  next(now: number, monotonic: number): Accepted | undefined {
    const payment = (amount: number) => this.payment(amount, now, monotonic);
    const paid = paidOn(this.#disk);
    const chance = this.#int(10);
    if (chance === 0) return asRefund(payment(2_500));
    if (chance > 5 || paid.length === 0) return payment(this.#oneOf([2_500, 124, 134]));
    const original = this.#original(this.#oneOf(this.#int(8) === 0 ? this.ids : paid));
    const amount = original && amountLeft(original, this.#oneOf(amountsGivenBack));
    return original && amount !== undefined ? asReversal(payment(amount), original) : undefined;
  }

  payment(amount: number, now: number, monotonic: number): Accepted {
    const id = `p${this.ids.length}`;
    this.ids.push(id);
    return accepted(id, amount, amount === 134 ? 'its ending' : null, now, monotonic);
  }

  /**
   * Returns an original payment. The amount that is left may be the present one, or the one that was read before others
   * gave back some of it.
   */
  #original(id: string): OriginalPayment | undefined {
    if (this.#read.length > 0 && this.#int(3) === 0) return this.#oneOf(this.#read);
    const original = originalOf(this.#disk, id);
    if (original) this.#read.push(original);
    return original;
  }

  #oneOf<Value>(values: readonly Value[]): Value {
    return values[this.#int(values.length)] as Value;
  }
}
