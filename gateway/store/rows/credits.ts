import type { Owned } from '../ownership.ts';

export const creditStates = ['initiated', 'completed', 'expired', 'failed'] as const;
export type CreditState = (typeof creditStates)[number];

/** A payment link: money from the merchant to a customer. */
export interface CreditRow extends Owned {
  id: string;
  contact_id: string;
  from_bank_account_id: string;
  amount: number;
  currency: string;
  statement: string;
  note: string | null;
  state: CreditState;
  /** Why the link is in its state, in words. */
  why: string;
  /** The hash of the secret in the link. */
  token_hash: string;
  /** The number of wrong answers since the last lock or right answer. */
  wrong_answers: number;
  locked_until: number | null;
  /** The reason for which the bank will refuse, if a test set one. */
  refusal: string | null;
  /** The account to which the money went: the kind of bank details, and their last digits. */
  bank_kind: string | null;
  bank_masked: string | null;
  created_at: number;
  expires_at: number;
  ended_at: number | null;
  /** The number of the latest change; 0 if one gateway has the database for itself. */
  version: number;
}

/** A customer's browser that gave the right answer for a payment link. */
export interface CreditVisitRow {
  /** The hash of the secret in the browser's cookie. */
  id: string;
  credit_id: string;
  /** The bank details that the customer entered: their kind, and only the number's last digits. */
  bank_kind: string | null;
  bank_masked: string | null;
  /** 1 if the number is that of a bank that refuses. */
  bank_refuses: number;
  answered_at: number;
}

/** The question for customers at an account's payment links (B99). */
export interface SecurityQuestionRow {
  account_id: string;
  question: string;
  /** The scrypt hash, with its salt and cost. */
  answer_hash: string;
}
