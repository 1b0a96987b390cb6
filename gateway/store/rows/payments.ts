import type { Owned } from '../ownership.ts';

/**
 * The kinds of request to a terminal: to take money; to give back what a payment took, without a card (nexo Reversal); to give
 * money to a card (nexo Payment of the type Refund).
 */
export const paymentKinds = ['payment', 'reversal', 'refund'] as const;
export type PaymentKind = (typeof paymentKinds)[number];

/** A payment. Its row is written once, at acceptance. */
export interface PaymentRow extends Owned {
  id: string;
  kind: PaymentKind;
  /** The payment that a reversal gives back; null for any other kind. */
  original_id: string | null;
  terminal_id: string;
  service_id: string;
  /** The requested amount in minor units. */
  amount: number;
  currency: string;
  idempotency_key: string | null;
  /** The number of the payment among those of its key, from 0: an expired key may be used again (B58). */
  key_use: number;
  request_hash: string | null;
  accepted_at: number;
  /** The nexo PaymentRequest as it is sent, and sent again, to the terminal. */
  message: string;
  /** Paths of unknown fields of the request, as a JSON array. */
  unknown_fields: string | null;
  /** Why every PIN is wrong at the terminal. */
  pin_rule: string | null;
  /** The sale's name at the point of sale; null if it has none, or if a release before 0020 stored the payment. */
  sale_reference_id: string | null;
  /** The dialect in which it was requested; null for the payments API. */
  dialect: string | null;
  /** The data that the dialect repeats in its answers, as JSON; only the dialect reads them. */
  dialect_data: string | null;
  /** 1 if the payment is refused at once when its terminal has no link, rather than waiting for one. */
  needs_link: number | null;
}

/** The facts about a payment that may change until it concludes. The row is deleted then, so the table stays small. */
export interface OpenPaymentRow {
  payment_id: string;
  terminal_id: string;
  delivered_at: number | null;
  deadline_at: number | null;
  abort_requested_at: number | null;
  /** When its terminal was deleted (B8). */
  terminal_deleted_at: number | null;
  /** How often its request, or an answer for it, could not be read (B67). */
  refusals: number;
  /** When a gateway that does not own its terminal was last asked to abort it. */
  abort_asked_at: number | null;
  /** The last of these moments that the terminal has acknowledged. */
  abort_acknowledged_at: number | null;
}

/** The result of a payment. Its row is written once, at conclusion. */
export interface PaymentResultRow {
  payment_id: string;
  concluded_at: number;
  delivered_at: number | null;
  abort_requested_at: number | null;
  result: 'success' | 'failure';
  error_condition: string | null;
  /** The amount that the cardholder was charged, tip included, or was given back, in minor units; null on failure. */
  total: number | null;
  /** The side that decided: terminal or gateway. */
  decided_by: 'terminal' | 'gateway';
  why: string;
  /** The IPPTransactionResult as the POS got it from version 0.1.0; empty if there is an outcome. */
  answer: string;
  /** The outcome as JSON (payments/core/outcome.ts); null if version 0.1.0 stored it. */
  outcome: string | null;
  /** The name that a failed payment's answer gave it; null if it succeeded, or if its answer told no name. */
  failed_reference: string | null;
}

/** A payment that was answered before its result was known: the result is sent once it is known, and the row is deleted then. */
export interface AwaitedResultRow extends Owned {
  payment_id: string;
}

/** The sum that reversals give back of a payment, in minor units: those that are open and those that succeeded. */
export interface GivenBackRow {
  original_id: string;
  amount: number;
}
