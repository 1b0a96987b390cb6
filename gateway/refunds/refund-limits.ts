import { decimalText } from '../../shared/money.ts';
import type { Runtime } from '../../shared/runtime.ts';
import { ApiError } from '../http/errors.ts';
import type { RefundLimitRow } from '../store/rows/refunds.ts';
import type { Tx } from '../store/schema.ts';
import type { Store } from '../store/store.ts';
import { anyDebit, type DebitRefunds, readRefunds } from './rows.ts';

/** What an operator does against the refunds of a debit (B86, B90). */
export class RefundLimits {
  #runtime: Runtime;
  #store: Store;

  constructor(runtime: Runtime, store: Store) {
    this.#runtime = runtime;
    this.#store = store;
  }

  /**
   * Keeps a part of what is left of a debit from being refunded; 0 lifts that. `amount` is in minor units.
   *
   * @throws ApiError debitNotFound; conflict where less than that is left
   */
  async block(debitId: string, amount: number, reason: string): Promise<DebitRefunds> {
    const blocked = await this.#store.write(async (tx) => {
      const { debit, state } = await readRefunds(tx, await anyDebit(tx, debitId));
      if (amount > state.refundable)
        throw new ApiError('conflict', { message: 'At most the refundable amount can be blocked' });
      await put(tx, debit.id, { blocked_amount: amount, blocked_reason: amount === 0 ? null : reason });
      return readRefunds(tx, debit);
    });
    const { id, currency } = blocked.debit;
    this.#journal(`${decimalText(amount, currency)} ${currency} blocked from refunds`, id);
    return blocked;
  }

  /**
   * Closes a debit to refunds permanently; a repeated call changes nothing. Refunds already created continue.
   *
   * @throws ApiError debitNotFound
   */
  async close(debitId: string, reason: string): Promise<DebitRefunds> {
    const closed = await this.#store.write(async (tx) => {
      const former = await readRefunds(tx, await anyDebit(tx, debitId));
      if (former.state.closedReason !== null) return former;
      await put(tx, former.debit.id, { closed_at: this.#runtime.clock.now(), closed_reason: reason });
      return readRefunds(tx, former.debit);
    });
    this.#journal(`closed to refunds: ${closed.state.closedReason}`, closed.debit.id);
    return closed;
  }

  #journal(what: string, debitId: string): void {
    this.#runtime.journal.add('control.changed', { what }, { payment: debitId });
  }
}

async function put(
  tx: Tx,
  debit_id: string,
  changes: Partial<Omit<RefundLimitRow, 'debit_id'>>,
): Promise<void> {
  const none = { blocked_amount: 0, blocked_reason: null, closed_at: null, closed_reason: null };
  await tx
    .insertInto('refund_limits')
    .values({ debit_id, ...none, ...changes })
    .onConflict((conflict) => conflict.column('debit_id').doUpdateSet(changes))
    .execute();
}
