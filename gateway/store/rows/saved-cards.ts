import type { Owned } from '../ownership.ts';

/** A customer of an account. */
export interface ContactRow extends Owned {
  id: string;
  name: string;
  email: string | null;
  created_at: number;
}

/** A tokenized card. Its number is not kept. */
export interface CreditCardRow extends Owned {
  id: string;
  contact_id: string;
  /** The test card whose behaviour the card has. */
  test_card: string;
  brand: string;
  masked_number: string;
  /** MMYY. */
  expiry: string;
  /** The same for every card with that number within an account. */
  fingerprint: string;
  created_at: number;
}

/** An account of the merchant at a bank. */
export interface BankAccountRow extends Owned {
  id: string;
  name: string;
  masked_number: string | null;
  created_at: number;
}

export const debitStates = ['paid', 'preauthorized', 'failed', 'voided'] as const;
export type DebitState = (typeof debitStates)[number];

export interface DebitRow extends Owned {
  id: string;
  contact_id: string;
  credit_card_id: string;
  to_bank_account_id: string;
  flow: 'charge' | 'preauthorize';
  /** The amount that the merchant requested. */
  amount: number;
  /** The amount that the customer pays on top. */
  surcharge: number;
  currency: string;
  statement: string;
  note: string | null;
  state: DebitState;
  decline_code: string | null;
  /** Why the debit is in its state, in words. */
  why: string;
  created_at: number;
  /** When an authorization is released if it is not captured. */
  expires_at: number | null;
  captured_at: number | null;
  /** When the debit failed or was voided. */
  ended_at: number | null;
  /** The number of the latest change, including changes of refunds; 0 if one gateway has the database for itself. */
  version: number;
}
