import type { Owned } from '../ownership.ts';

/** Written once, at acceptance. */
export interface PaymentRow extends Owned {
  id: string;
  terminal_id: string;
  service_id: string;
  /** Requested, minor units. */
  amount: number;
  currency: string;
  idempotency_key: string | null;
  request_hash: string | null;
  accepted_at: number;
  /** The nexo PaymentRequest as it goes, and goes again, to the terminal. */
  message: string;
  /** Paths of unknown fields of the request, as a JSON array. */
  unknown_fields: string | null;
  /** Why every PIN is wrong at the terminal. */
  pin_rule: string | null;
}

/** What may change about a payment until it concludes; the row goes then, so the table stays small. */
export interface OpenPaymentRow {
  payment_id: string;
  terminal_id: string;
  delivered_at: number | null;
  deadline_at: number | null;
  abort_requested_at: number | null;
  /** When its terminal was deleted (B8). */
  terminal_deleted_at: number | null;
}

/** Written once, at conclusion. */
export interface PaymentResultRow {
  payment_id: string;
  concluded_at: number;
  delivered_at: number | null;
  abort_requested_at: number | null;
  result: 'success' | 'failure';
  error_condition: string | null;
  /** What the cardholder was charged, tip included; null on failure. Minor units. */
  total: number | null;
  /** Who decided: terminal or gateway. */
  decided_by: 'terminal' | 'gateway';
  why: string;
  /** The IPPTransactionResult as the POS gets it. */
  answer: string;
}
