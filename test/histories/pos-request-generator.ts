import type { OriginalPayment } from '../../gateway/payments/core/giving-back.ts';
import type { Input } from '../../gateway/payments/core/step.ts';
import type { Disk } from './disk.ts';
import {
  amountsToReverse,
  findAcceptedAmount,
  findPaidPayments,
  readOriginal,
  toRefundInput,
  toReversalInput,
} from './giving-back.ts';
import { makeAcceptedInput } from './inputs.ts';

type Accepted = Extract<Input, { is: 'accepted' }>;

/** Draws the next request of a point of sale for the terminal. */
export class PosRequestGenerator {
  readonly ids: string[] = ['unknown'];
  readonly #int: (below: number) => number;
  readonly #disk: Disk;
  /**
   * Payments, as they were when a gateway read them. Since then, gateways may have given back some of the payments'
   * money.
   */
  readonly #read: OriginalPayment[] = [];

  constructor(int: (below: number) => number, disk: Disk) {
    this.#int = int;
    this.#disk = disk;
  }

  /**
   * Returns a payment request, or sometimes a refund request. If there is money to give back, often returns a
   * reversal instead. Returns undefined if nothing is left of the chosen payment.
   */
  next(now: number, monotonic: number): Accepted | undefined {
    const payment = (amount: number) => this.payment(amount, now, monotonic);
    const paid = findPaidPayments(this.#disk);
    const chance = this.#int(10);
    if (chance === 0) return toRefundInput(payment(2_500));
    if (chance > 5 || paid.length === 0) return payment(this.#oneOf([2_500, 124, 134]));
    const original = this.#original(this.#oneOf(this.#int(8) === 0 ? this.ids : paid));
    const amount = original && findAcceptedAmount(original, this.#oneOf(amountsToReverse));
    return original && amount !== undefined ? toReversalInput(payment(amount), original) : undefined;
  }

  payment(amount: number, now: number, monotonic: number): Accepted {
    const id = `p${this.ids.length}`;
    this.ids.push(id);
    return makeAcceptedInput(id, amount, amount === 134 ? 'its ending' : null, now, monotonic);
  }

  /**
   * Returns an original payment. The amount that is left of it may be out of date, as if other gateways had given
   * money back after this gateway read the payment.
   */
  #original(id: string): OriginalPayment | undefined {
    if (this.#read.length > 0 && this.#int(3) === 0) return this.#oneOf(this.#read);
    const original = readOriginal(this.#disk, id);
    if (original) this.#read.push(original);
    return original;
  }

  #oneOf<Value>(values: readonly Value[]): Value {
    return values[this.#int(values.length)] as Value;
  }
}
