import { ApiError } from '../http/errors.ts';
import type { DebitInput } from '../saved-cards/core/step.ts';
import type { DebitInputQueue } from '../saved-cards/debit-input-queue.ts';
import { type DebitWithRefunds, makeDebitWithRefunds } from './rows.ts';

/** Lets an operator limit how much of a debit can be refunded (B86, B90). */
export class RefundLimitService {
  readonly #turns: DebitInputQueue;

  constructor(turns: DebitInputQueue) {
    this.#turns = turns;
  }

  /**
   * Blocks a part of the amount that can be refunded. `amount` is in minor units. The amount 0 removes the block.
   *
   * @throws ApiError debitNotFound; conflict if less than this amount can be refunded
   */
  block(debitId: string, amount: number, reason: string): Promise<DebitWithRefunds> {
    return this.#put(debitId, { of: 'debit', is: 'blockAsked', amount, reason });
  }

  /**
   * Closes a debit to new refunds, permanently. If the debit is closed already, nothing changes. Refunds that exist
   * already are still carried out.
   *
   * @throws ApiError debitNotFound
   */
  close(debitId: string, reason: string): Promise<DebitWithRefunds> {
    return this.#put(debitId, { of: 'debit', is: 'closeAsked', reason });
  }

  async #put(debitId: string, input: DebitInput): Promise<DebitWithRefunds> {
    const { stored, refused } = await this.#turns.put(debitId, input);
    if (!stored) throw new ApiError('debitNotFound');
    if (refused)
      throw new ApiError('conflict', { message: 'The amount to block exceeds the refundable amount' });
    return makeDebitWithRefunds(stored);
  }
}
