import type { Owned } from '../ownership.ts';

/**
 * The kinds of entries in the acquirer's ledger. An issuer authorizes or declines a payment, reverses it, or closes it
 * to further authorizations. It pays out a captured amount. It takes a refund for the cardholder, and returns it if the
 * cardholder's bank rejects it.
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
export interface LedgerRow extends Owned {
  id: string;
  /** The payment, reversal or refund of a terminal, or the debit. */
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
   * The attempt of a terminal to have its payment authorized (B134); null for other entries and for those of version
   * 0.1.0.
   */
  attempt_id: string | null;
  /**
   * The card that was charged or refused: its masked number, and the brand and AID of the application. It is null if
   * `attempt_id` is null.
   */
  card: string | null;
  application: string | null;
  /** The refund of a debit that moved this money. */
  refund_id: string | null;
  /** The rule that decided, and the reason in words. */
  rule: string;
  why: string;
}

export interface PresetOutcomeRow {
  /** The identifier of a payment or a terminal. */
  subject: string;
  scope: 'payment' | 'terminal';
  /** `once`: the outcome stays set until it has affected one payment. `always`: it stays set until it is cleared. */
  mode: 'once' | 'always';
  outcome: string;
  set_at: number;
}
