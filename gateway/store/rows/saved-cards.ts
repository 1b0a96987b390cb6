import type { OwnerColumns } from '../ownership.ts';

/** A customer of an account. */
export interface ContactRow extends OwnerColumns {
  id: string;
  name: string;
  email: string | null;
  created_at: number;
}

/** A saved card. Its number is not stored. */
export interface SavedCardRow extends OwnerColumns {
  id: string;
  contact_id: string;
  /** The test card that decides how the saved card behaves. */
  test_card: string;
  brand: string;
  masked_number: string;
  /** The expiry date as MMYY. */
  expiry: string;
  /**
   * A hash of the account and the card's number. Two cards of one account have the same fingerprint if their numbers
   * are equal.
   */
  fingerprint: string;
  created_at: number;
}

/** A bank account of the merchant. */
export interface BankAccountRow extends OwnerColumns {
  id: string;
  name: string;
  masked_number: string | null;
  created_at: number;
}

export const debitStates = ['paid', 'preauthorized', 'failed', 'voided'] as const;
export type DebitState = (typeof debitStates)[number];

export interface DebitRow extends OwnerColumns {
  id: string;
  contact_id: string;
  credit_card_id: string;
  to_bank_account_id: string;
  flow: 'charge' | 'preauthorize';
  /** The amount that the merchant requested. */
  amount: number;
  /** The amount that the customer pays in addition. */
  surcharge: number;
  currency: string;
  statement: string;
  note: string | null;
  state: DebitState;
  decline_code: string | null;
  /** The reason for the debit's state, in words. */
  why: string;
  created_at: number;
  /** The time at which the authorization is released if it is not captured. */
  expires_at: number | null;
  captured_at: number | null;
  /** The time at which the debit failed or was voided. */
  ended_at: number | null;
  /**
   * The number of the latest change to the debit or one of its refunds. The number is 0 if the database has only one
   * gateway.
   */
  version: number;
}
