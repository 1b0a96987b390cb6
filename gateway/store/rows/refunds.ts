import type { Owned } from '../ownership.ts';

export const refundStatuses = ['processing', 'submitted', 'failed'] as const;
export type RefundStatus = (typeof refundStatuses)[number];

export interface RefundRow extends Owned {
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

/** The maximum amount that a debit's refunds may have together. A debit without a limit has no row. */
export interface RefundLimitRow {
  debit_id: string;
  blocked_amount: number;
  blocked_reason: string | null;
  closed_at: number | null;
  closed_reason: string | null;
}
