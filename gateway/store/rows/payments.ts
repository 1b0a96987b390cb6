import type { Owned } from '../ownership.ts';

/**
 * What a terminal is asked for: to take money; to give back what a payment took, without a card (nexo Reversal); to give money to
 * a card (nexo Payment of the type Refund).
 */
export const paymentKinds = ['payment', 'reversal', 'refund'] as const;
export type PaymentKind = (typeof paymentKinds)[number];

/** Written once, at acceptance. */
export interface PaymentRow extends Owned {
  id: string;
  kind: PaymentKind;
  /** The payment that a reversal gives back; null of all others. */
  original_id: string | null;
  terminal_id: string;
  service_id: string;
  /** Requested, minor units. */
  amount: number;
  currency: string;
  idempotency_key: string | null;
  /** Which payment of its key it is, from 0: an expired key may be used again (B58). */
  key_use: number;
  request_hash: string | null;
  accepted_at: number;
  /** The nexo PaymentRequest as it goes, and goes again, to the terminal. */
  message: string;
  /** Paths of unknown fields of the request, as a JSON array. */
  unknown_fields: string | null;
  /** Why every PIN is wrong at the terminal. */
  pin_rule: string | null;
  /** As the point of sale named the sale; null of a release before 0020, and of what has none. */
  sale_reference_id: string | null;
  /** The dialect that it was asked for in; null of the payments API. */
  dialect: string | null;
  /** What the dialect has to repeat in its answers, as JSON; only the dialect reads it. */
  dialect_data: string | null;
  /** 1 where it is refused at once if its terminal has no link, and does not wait for one. */
  needs_link: number | null;
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
  /** How often its request, or an answer for it, could not be read (B67). */
  refusals: number;
  /** When a gateway that does not own its terminal was last asked to abort it. */
  abort_asked_at: number | null;
  /** Which of these moments the terminal has acknowledged. */
  abort_acknowledged_at: number | null;
}

/** Written once, at conclusion. */
export interface PaymentResultRow {
  payment_id: string;
  concluded_at: number;
  delivered_at: number | null;
  abort_requested_at: number | null;
  result: 'success' | 'failure';
  error_condition: string | null;
  /** What the cardholder was charged, tip included, or was given back; null on failure. Minor units. */
  total: number | null;
  /** Who decided: terminal or gateway. */
  decided_by: 'terminal' | 'gateway';
  why: string;
  /** The IPPTransactionResult as the POS got it, of version 0.1.0; empty where there is an outcome. */
  answer: string;
  /** What became of it, as JSON (payments/core/outcome.ts); null of version 0.1.0. */
  outcome: string | null;
}

/** A payment that was answered before its result was known: the result is sent once it is, and the row goes then. */
export interface AwaitedResultRow extends Owned {
  payment_id: string;
}

/** What reversals give back of a payment: those that are open and those that succeeded. Minor units. */
export interface GivenBackRow {
  original_id: string;
  amount: number;
}
