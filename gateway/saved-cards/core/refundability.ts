import type { RefundStatus } from '../../store/rows/refunds.ts';
import type { InputRefusal, StoredDebit } from './step.ts';

/**
 * The amounts of a debit, in minor units. They include the amount that was taken, the amount that is being given back,
 * and the amount that can still be given back (B90).
 */
export interface DebitRefundAmounts {
  captured: number;
  /** Everything that the customer was charged: the captured amount and the surcharge. */
  charged: number;
  processing: number;
  submitted: number;
  /** This is always `charged` − `processing` − `submitted`. */
  refundable: number;
  blocked: number;
  blockedReason: string | null;
  closedReason: string | null;
}

/** Adds up the refunds of a debit. */
export function computeDebitRefundAmounts({
  debit,
  refunds,
  limit,
}: Omit<StoredDebit, 'entries'>): DebitRefundAmounts {
  const sum = (status: RefundStatus) =>
    refunds.reduce((total, refund) => total + (refund.status === status ? refund.amount : 0), 0);
  const paid = debit.state === 'paid';
  const charged = paid ? debit.amount + debit.surcharge : 0;
  const [processing, submitted] = [sum('processing'), sum('submitted')];
  return {
    captured: paid ? debit.amount : 0,
    charged,
    processing,
    submitted,
    refundable: charged - processing - submitted,
    blocked: limit?.blocked_amount ?? 0,
    blockedReason: limit?.blocked_reason ?? null,
    closedReason: limit?.closed_at == null ? null : (limit.closed_reason ?? 'no reason given'),
  };
}

/** Says why this amount cannot be refunded. Returns undefined if the amount can be refunded (B87). */
export function findRefundRefusal(stored: StoredDebit, amount: number): InputRefusal | undefined {
  if (stored.debit.state !== 'paid') return { is: 'over' };
  const { closedReason, refundable, blocked } = computeDebitRefundAmounts(stored);
  if (closedReason !== null) return { is: 'closed', reason: closedReason };
  return amount > refundable - blocked ? { is: 'tooMuch' } : undefined;
}
