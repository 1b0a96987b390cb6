import type { OwnerColumns } from '../ownership.ts';

export const refundStatuses = ['processing', 'submitted', 'failed'] as const;
export type RefundStatus = (typeof refundStatuses)[number];

export interface RefundRow extends OwnerColumns {
  id: string;
  debit_id: string;
  amount: number;
  currency: string;
  reason: string;
  reason_details: string | null;
  status: RefundStatus;
  /** The reason for the refund's status, in words. */
  why: string;
  created_at: number;
  /** The time at which the refund's next step is due. */
  due_at: number | null;
  submitted_at: number | null;
  failed_at: number | null;
}

/**
 * An operator's limit for the refunds of a debit. A part of the debit's amount may be blocked. From `closed_at` on, no
 * further refund is allowed. A debit without such a limit has no row.
 */
export interface RefundLimitRow {
  debit_id: string;
  blocked_amount: number;
  blocked_reason: string | null;
  closed_at: number | null;
  closed_reason: string | null;
}
