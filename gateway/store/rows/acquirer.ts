import type { Owned } from '../ownership.ts';

/**
 * The acts of an issuer: give an authorization, refuse one, take it back, or give none any more; pay out a captured
 * one; take a refund for the cardholder, and return it if the cardholder's bank rejects it.
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

/** One line of the acquirer's book. It is never changed or removed. */
export interface LedgerRow extends Owned {
  id: string;
  /** A terminal's payment, reversal or refund, or a debit. */
  payment_id: string;
  at: number;
  kind: LedgerKind;
  /** Minor units. */
  amount: number;
  currency: string;
  psp_reference: string;
  auth_code: string | null;
  error_condition: string | null;
  refusal_reason: string | null;
  message: string | null;
  /** A terminal's try to have its payment authorized; null for any other entry, and for those of version 0.1.0 (B134). */
  attempt_id: string | null;
  /** The card that was charged or refused: its masked number, and the application by brand and AID. Null as above. */
  card: string | null;
  application: string | null;
  /** The refund of a debit for which money moved. */
  refund_id: string | null;
  /** The rule that decided it, and the reason in words. */
  rule: string;
  why: string;
}

export interface OutcomeRow {
  /** A payment's or a terminal's identifier. */
  subject: string;
  scope: 'payment' | 'terminal';
  /** `once` is for the first payment on which it has an effect, `always` until it is cleared. */
  mode: 'once' | 'always';
  outcome: string;
  set_at: number;
}
