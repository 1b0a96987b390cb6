import { decimalText } from '../../shared/money.ts';
import { ApiError } from '../http/errors.ts';
import type { RefundLimitRow, RefundRow } from '../store/rows/refunds.ts';
import type { DebitRow } from '../store/rows/saved-cards.ts';

/** A debit's money in whole minor units: what was taken, what goes back, what may still go back (B90). */
export interface Refundability {
  captured: number;
  /** Captured and surcharge: what the customer was charged. */
  charged: number;
  processing: number;
  submitted: number;
  /** Always charged − processing − submitted. */
  refundable: number;
  blocked: number;
  blockedReason: string | null;
  closedReason: string | null;
}

/** Adds up a debit's refunds. */
export function refundability(
  debit: DebitRow,
  refunds: readonly RefundRow[],
  limit: RefundLimitRow | undefined,
): Refundability {
  const sum = (status: RefundRow['status']) =>
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

/**
 * Refuses a refund that may not be.
 *
 * @throws ApiError debitNotRefundable, refundExceedsRefundableAmount (B87)
 */
export function refuseRefund(debit: DebitRow, amount: number, state: Refundability): void {
  if (debit.state !== 'paid')
    throw new ApiError('debitNotRefundable', {
      message: `The debit is ${debit.state}, so there is nothing to refund`,
    });
  if (state.closedReason !== null)
    throw new ApiError('debitNotRefundable', {
      message: `The debit is permanently closed to refunds: ${state.closedReason}`,
    });
  const available = state.refundable - state.blocked;
  if (amount <= available) return;
  const text = (minor: number) => `${decimalText(minor, debit.currency)} ${debit.currency}`;
  const left = `${text(state.refundable)} is left to refund`;
  const blocked =
    state.blocked > 0 ? `, of which ${text(state.blocked)} is blocked: ${state.blockedReason}` : '';
  throw new ApiError('refundExceedsRefundableAmount', { message: left + blocked });
}
