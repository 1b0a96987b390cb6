import type { OwnerColumns } from '../ownership.ts';

export const creditStates = ['initiated', 'completed', 'expired', 'failed'] as const;
export type CreditState = (typeof creditStates)[number];

/** A payment link, by which a customer gets money from the merchant. */
export interface CreditRow extends OwnerColumns {
  id: string;
  contact_id: string;
  from_bank_account_id: string;
  amount: number;
  currency: string;
  statement: string;
  note: string | null;
  state: CreditState;
  /** The reason for the link's state, in words. */
  why: string;
  /** The hash of the secret that is part of the link. */
  token_hash: string;
  /** The number of wrong answers since the last lock or the last right answer. */
  wrong_answers: number;
  locked_until: number | null;
  /** The reason that the bank will give for its refusal; null unless a test has set one. */
  refusal: string | null;
  /** The kind of the bank account to which the money went, and the last digits of the account's number. */
  bank_kind: string | null;
  bank_masked: string | null;
  created_at: number;
  expires_at: number;
  ended_at: number | null;
  /** The number of the latest change; 0 if the database has only one gateway. */
  version: number;
}

/** The browser of a customer who gave the right answer for a payment link. */
export interface VerifiedCreditVisitorRow {
  /** The hash of the secret in the browser's cookie. */
  id: string;
  credit_id: string;
  /** The kind of the bank account that the customer entered, and the last digits of the account's number. */
  bank_kind: string | null;
  bank_masked: string | null;
  /** 1 if the account's number belongs to a test bank that refuses the money. */
  bank_refuses: number;
  answered_at: number;
}

/** The question that customers must answer at the payment links of an account (B99). */
export interface SecurityQuestionRow {
  account_id: string;
  question: string;
  /** The scrypt hash of the answer, with its salt and cost. */
  answer_hash: string;
}
