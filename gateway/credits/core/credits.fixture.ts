import type { CreditRow, VerifiedCreditVisitorRow } from '../../store/rows/credits.ts';
import type { CreditFacts, Input } from './step.ts';

export const creditRow: CreditRow = {
  id: '019b78ce-9280-7000-8000-5f3759df0007',
  account_id: 'shop',
  environment: 'sandbox',
  contact_id: 'robin',
  from_bank_account_id: 'bank',
  amount: 25_50,
  currency: 'EUR',
  statement: 'REFUND 1001',
  note: null,
  state: 'initiated',
  why: 'the link waits for the customer',
  token_hash: 'hash',
  wrong_answers: 0,
  locked_until: null,
  refusal: null,
  bank_kind: null,
  bank_masked: null,
  created_at: 0,
  expires_at: 30 * 86_400_000,
  ended_at: null,
  version: 0,
};

export const visitRow: VerifiedCreditVisitorRow = {
  id: 'visit',
  credit_id: creditRow.id,
  bank_kind: null,
  bank_masked: null,
  bank_refuses: 0,
  answered_at: 0,
};

export const exampleBank = { kind: 'iban', masked: '**** 3000', refuses: false } as const;

/** One input of each kind, for the tests. */
export const exampleCreditInputs: readonly Input[] = [
  { is: 'made', credit: creditRow },
  { is: 'answerTried' },
  { is: 'answeredRight', visit: visitRow },
  { is: 'bankNamed', visitId: visitRow.id, bank: exampleBank },
  { is: 'accepted', to: exampleBank },
  { is: 'refusalSet', reason: 'closed' },
  { is: 'expiryAsked' },
  { is: 'due' },
];

export const exampleCreditFacts: CreditFacts = {
  now: 1_000,
  inTime: true,
  lockedUntil: undefined,
  lockMs: 900_000,
};
