import { formatDecimalAmount } from '../../../shared/money.ts';
import type { RefundLimitRow } from '../../store/rows/refunds.ts';
import type { RowChange } from '../../store/schema.ts';
import { computeDebitRefundAmounts } from './refundability.ts';
import {
  type DebitFacts,
  type DebitInput,
  type Effect,
  type ExistingDebit,
  makeRefusedStep,
  makeStep,
  makeUnchangedStep,
  type Step,
  type StoredDebit,
} from './step.ts';

type InputOf<Name> = Extract<DebitInput, { is: Name }>;

/**
 * Blocks a part of the amount that can be refunded. The new block replaces the present one. The new block must not be
 * larger than the amount that could be refunded without the present block. The amount 0 removes the block (B86).
 */
export function setBlockedRefundAmount(
  state: ExistingDebit,
  { amount, reason }: InputOf<'blockAsked'>,
): Step {
  const { stored } = state;
  if (amount > computeDebitRefundAmounts(stored).refundable) return makeRefusedStep(state, { is: 'tooMuch' });
  const { currency } = stored.debit;
  const set = { blocked_amount: amount, blocked_reason: amount === 0 ? null : reason };
  return limited(stored, set, `${formatDecimalAmount(amount, currency)} ${currency} blocked from refunds`);
}

/**
 * Closes a debit to refunds, so that no further refund is ever allowed. If the debit is already closed, only writes
 * another entry to the journal.
 */
export function closeToRefunds(
  state: ExistingDebit,
  { reason }: InputOf<'closeAsked'>,
  { now }: DebitFacts,
): Step {
  const { closedReason } = computeDebitRefundAmounts(state.stored);
  if (closedReason !== null)
    return { ...makeUnchangedStep(state), effects: [said(state.stored, closing(closedReason))] };
  return limited(state.stored, { closed_at: now, closed_reason: reason }, closing(reason));
}

function closing(reason: string): string {
  return `closed to refunds: ${reason}`;
}

function limited(stored: StoredDebit, set: Partial<Omit<RefundLimitRow, 'debit_id'>>, what: string): Step {
  const debit_id = stored.debit.id;
  const none = { blocked_amount: 0, blocked_reason: null, closed_at: null, closed_reason: null };
  const limit: RefundLimitRow = { ...(stored.limit ?? { debit_id, ...none }), ...set };
  const change: RowChange = stored.limit
    ? { update: 'refund_limits', where: { debit_id }, set }
    : { insert: 'refund_limits', row: limit };
  return makeStep({ ...stored, limit }, change, [], { effects: [said(stored, what)] });
}

function said({ debit }: StoredDebit, what: string): Effect {
  return { do: 'journal', note: { kind: 'control.changed', data: { what }, about: { payment: debit.id } } };
}
