import type { OwnerColumns } from '../ownership.ts';

/**
 * The kinds of entries in the acquirer's ledger:
 * - `authorized`, `declined`: the issuer approved or refused a payment.
 * - `reversed`: an authorization was reversed.
 * - `closed`: the payment or attempt can no longer be authorized.
 * - `captured`: an authorized amount was paid out.
 * - `refunded`: money was given to the cardholder.
 * - `returned`: money that was given to the cardholder was taken back.
 */
export const ledgerKinds = [
  'authorized',
  'declined',
  'reversed',
  'closed',
  'captured',
  'refunded',
  'returned',
] as const;
export type LedgerKind = (typeof ledgerKinds)[number];

/** An entry in the acquirer's ledger. It is never changed or deleted. */
export interface LedgerRow extends OwnerColumns {
  id: string;
  /** The identifier of a debit, or of a payment, reversal or refund on a terminal. */
  payment_id: string;
  at: number;
  kind: LedgerKind;
  /** The amount in minor units. */
  amount: number;
  currency: string;
  psp_reference: string;
  auth_code: string | null;
  error_condition: string | null;
  refusal_reason: string | null;
  message: string | null;
  /**
   * The attempt of a terminal to have its payment authorized (B134). It is null for other entries, and for entries of
   * version 0.1.0.
   */
  attempt_id: string | null;
  /**
   * The card that was charged or refused. `card` is its masked number, and `application` is the brand and AID of the
   * application. Both are null if `attempt_id` is null.
   */
  card: string | null;
  application: string | null;
  /** The refund that moved this money; null unless the entry is about a refund of a debit. */
  refund_id: string | null;
  /** `rule` is the rule that led to the entry. `why` is the reason in words. */
  rule: string;
  why: string;
}

export interface PresetOutcomeRow {
  /** The identifier of a payment or a terminal. */
  subject: string;
  scope: 'payment' | 'terminal';
  /**
   * `once`: the outcome stays set until it has affected one payment. `always`: the outcome stays set until a test
   * clears it.
   */
  mode: 'once' | 'always';
  outcome: string;
  set_at: number;
}
