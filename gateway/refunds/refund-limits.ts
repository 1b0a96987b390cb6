import { ApiError } from '../http/errors.ts';
import type { DebitInput } from '../saved-cards/core/step.ts';
import type { DebitTurns } from '../saved-cards/debit-turns.ts';
import { type DebitRefunds, refundsIn } from './rows.ts';

/** Lets an operator limit the refunds of a debit (B86, B90). */
export class RefundLimits {
  readonly #turns: DebitTurns;

  constructor(turns: DebitTurns) {
    this.#turns = turns;
  }

  /**
   * Blocks a part of a debit's refundable amount; an amount of 0 removes the block. `amount` is in minor units.
   *
   * @throws ApiError debitNotFound; conflict if less than that is refundable
   */
  block(debitId: string, amount: number, reason: string): Promise<DebitRefunds> {
    return this.#put(debitId, { of: 'debit', is: 'blockAsked', amount, reason });
  }

  /**
   * Closes a debit to refunds permanently; a repeated call changes nothing. Refunds that exist already go on.
   *
   * @throws ApiError debitNotFound
   */
  close(debitId: string, reason: string): Promise<DebitRefunds> {
    return this.#put(debitId, { of: 'debit', is: 'closeAsked', reason });
  }

  async #put(debitId: string, input: DebitInput): Promise<DebitRefunds> {
    const { stored, refused } = await this.#turns.put(debitId, input);
    if (!stored) throw new ApiError('debitNotFound');
    if (refused) throw new ApiError('conflict', { message: 'At most the refundable amount can be blocked' });
    return refundsIn(stored);
  }
}
