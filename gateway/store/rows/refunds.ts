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
  /** Why it has its status, in words. */
  why: string;
  created_at: number;
  /** When something happens to it by itself next. */
  due_at: number | null;
  submitted_at: number | null;
  failed_at: number | null;
}

/** What keeps a debit from being refunded; a debit nothing was said about has none. */
export interface RefundLimitRow {
  debit_id: string;
  blocked_amount: number;
  blocked_reason: string | null;
  closed_at: number | null;
  closed_reason: string | null;
}
