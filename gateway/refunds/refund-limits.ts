import { decimalText } from '../../shared/money.ts';
import type { Runtime } from '../../shared/runtime.ts';
import { ApiError } from '../http/errors.ts';
import type { DebitFacts } from '../saved-cards/debit-facts.ts';
import type { DebitLanes, DebitStep } from '../saved-cards/debit-lanes.ts';
import type { RefundLimitRow } from '../store/rows/refunds.ts';
import { type DebitRefunds, existing, refundsIn } from './rows.ts';

/** What an operator does against the refunds of a debit (B86, B90). */
export class RefundLimits {
  readonly #runtime: Runtime;
  readonly #lanes: DebitLanes;

  constructor(runtime: Runtime, lanes: DebitLanes) {
    this.#runtime = runtime;
    this.#lanes = lanes;
  }

  /**
   * Keeps a part of what is left of a debit from being refunded; 0 lifts that. `amount` is in minor units.
   *
   * @throws ApiError debitNotFound; conflict where less than that is left
   */
  async block(debitId: string, amount: number, reason: string): Promise<DebitRefunds> {
    const blocked = await this.#lanes.turn(debitId, (facts) => {
      const { state } = refundsIn(existing(facts));
      if (amount > state.refundable)
        throw new ApiError('conflict', { message: 'At most the refundable amount can be blocked' });
      const blocked_reason = amount === 0 ? null : reason;
      return limited(existing(facts), { blocked_amount: amount, blocked_reason });
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
    const closed = await this.#lanes.turn(debitId, (facts) => {
      const former = refundsIn(existing(facts));
      if (former.state.closedReason !== null)
        return { facts: existing(facts), changes: [], entries: [], result: former };
      return limited(existing(facts), { closed_at: this.#runtime.clock.now(), closed_reason: reason });
    });
    this.#journal(`closed to refunds: ${closed.state.closedReason}`, closed.debit.id);
    return closed;
  }

  #journal(what: string, debitId: string): void {
    this.#runtime.journal.add('control.changed', { what }, { payment: debitId });
  }
}

function limited(
  former: DebitFacts,
  set: Partial<Omit<RefundLimitRow, 'debit_id'>>,
): DebitStep<DebitRefunds> {
  const debit_id = former.debit.id;
  const none = { blocked_amount: 0, blocked_reason: null, closed_at: null, closed_reason: null };
  const limit: RefundLimitRow = { ...(former.limit ?? { debit_id, ...none }), ...set };
  const facts = { ...former, limit };
  return {
    facts,
    changes: [
      former.limit
        ? { update: 'refund_limits', where: { debit_id }, set }
        : { insert: 'refund_limits', row: limit },
    ],
    entries: [],
    result: refundsIn(facts),
  };
}
