import type { OwnerColumns } from '../ownership.ts';

/**
 * The kinds of requests to a terminal:
 * - `payment` takes money.
 * - `reversal` gives money of a payment back, without a card (nexo Reversal).
 * - `refund` gives money to a card (nexo Payment of the type Refund).
 */
export const paymentKinds = ['payment', 'reversal', 'refund'] as const;
export type PaymentKind = (typeof paymentKinds)[number];

/** A payment. Its row is stored when the payment is accepted, and does not change. */
export interface PaymentRow extends OwnerColumns {
  id: string;
  kind: PaymentKind;
  /** The payment that a reversal reverses; null for a payment or refund. */
  original_id: string | null;
  terminal_id: string;
  service_id: string;
  /** The requested amount in minor units. */
  amount: number;
  currency: string;
  idempotency_key: string | null;
  /** The number of earlier payments with this key. A key can be used again after it has expired (B58). */
  key_use: number;
  request_hash: string | null;
  accepted_at: number;
  /**
   * The nexo PaymentRequest or ReversalRequest that the terminal gets. If the gateway must send the request again, it
   * sends the same text.
   */
  message: string;
  /** The paths of the request's unknown fields, as a JSON array. */
  unknown_fields: string | null;
  /** The reason why the terminal treats every PIN as wrong. */
  pin_rule: string | null;
  /**
   * The POS's reference for the sale; null if the POS gave none, or if the payment was stored before migration 0020.
   */
  sale_reference_id: string | null;
  /** The name of the other vendor's API (dialect) at which the payment was requested; null for the native API. */
  dialect: string | null;
  /** The data that the dialect repeats in its answers, as JSON. Only the dialect's code reads it. */
  dialect_data: string | null;
  /**
   * 1 if the payment is refused at once when its terminal is not connected. Otherwise the payment waits for the
   * terminal.
   */
  needs_link: number | null;
}

/** The changing data of an open payment. The row is deleted when the payment is concluded, so the table stays small. */
export interface OpenPaymentRow {
  payment_id: string;
  terminal_id: string;
  delivered_at: number | null;
  deadline_at: number | null;
  abort_requested_at: number | null;
  /** The time at which the payment's terminal was deleted (B8). */
  terminal_deleted_at: number | null;
  /** The number of messages about the payment that could not be read (B67). */
  refusals: number;
  /** The time at which another gateway last asked the terminal's owner to abort the payment. */
  abort_asked_at: number | null;
  /** The value of `abort_asked_at` for the latest abort that the terminal has acknowledged. */
  abort_acknowledged_at: number | null;
}

/** The result of a payment. Its row is stored when the payment is concluded. */
export interface PaymentResultRow {
  payment_id: string;
  concluded_at: number;
  delivered_at: number | null;
  abort_requested_at: number | null;
  result: 'success' | 'failure';
  error_condition: string | null;
  /**
   * The amount in minor units that the cardholder was charged or was given back. It includes the tip. It is null if the
   * payment failed.
   */
  total: number | null;
  /** Whether the terminal or the gateway decided on the result. */
  decided_by: 'terminal' | 'gateway';
  why: string;
  /** The answer of the native API that version 0.1.0 sent to the POS; empty if there is an outcome. */
  answer: string;
  /** The outcome as JSON (payments/core/outcome.ts); null if version 0.1.0 stored the result. */
  outcome: string | null;
  /** The reference in the answer of a failed payment; null if the payment succeeded or its answer has no reference. */
  failed_reference: string | null;
}

/** A payment that was answered before its result was known. The result is sent later, and then the row is deleted. */
export interface AwaitedResultRow extends OwnerColumns {
  payment_id: string;
}

/**
 * The sum in minor units that reversals of a payment give back. Open reversals and successful reversals are included.
 */
export interface GivenBackRow {
  original_id: string;
  amount: number;
}
