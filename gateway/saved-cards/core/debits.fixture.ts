import type { DebitEntryInMemory } from '../../acquirer/debit-ledger.ts';
import type { LedgerEntryValueGenerator } from '../../acquirer/entries.ts';
import type { RefundRow, RefundStatus } from '../../store/rows/refunds.ts';
import type { DebitRow, DebitState, SavedCardRow } from '../../store/rows/saved-cards.ts';
import type { DebitFacts, DebitInput, RefundInput, StoredDebit } from './step.ts';

export const exampleCaller = { accountId: 'shop', environment: 'sandbox' } as const;
export const otherCaller = { ...exampleCaller, accountId: 'stranger' };

export const debitRow: DebitRow = {
  id: '019b78ce-9280-7000-8000-5f3759df0003',
  account_id: 'shop',
  environment: 'sandbox',
  contact_id: 'robin',
  credit_card_id: 'visa',
  to_bank_account_id: 'bank',
  flow: 'preauthorize',
  amount: 10_00,
  surcharge: 25,
  currency: 'EUR',
  statement: 'ORDER 1',
  note: null,
  state: 'preauthorized',
  decline_code: null,
  why: '',
  created_at: 0,
  expires_at: 7 * 86_400_000,
  captured_at: null,
  ended_at: null,
  version: 0,
};

export const refundRow: RefundRow = {
  id: '019b78ce-9280-7000-8000-5f3759df0004',
  account_id: 'shop',
  environment: 'sandbox',
  debit_id: debitRow.id,
  amount: 4_00,
  currency: 'EUR',
  reason: 'other',
  reason_details: null,
  status: 'processing',
  why: 'it was created',
  created_at: 0,
  due_at: 2_000,
  submitted_at: null,
  failed_at: null,
};

/** Makes a saved card that behaves like the test card with this identifier. */
export function makeSavedCardRow(test_card: string): SavedCardRow {
  return {
    id: 'visa',
    account_id: 'shop',
    environment: 'sandbox',
    contact_id: 'robin',
    test_card,
    brand: 'visa',
    masked_number: '**** 1111',
    expiry: '1299',
    fingerprint: 'print',
    created_at: 0,
  };
}

/** Makes a debit in this state, without refunds. */
export function makeDebitInState(state: DebitState): StoredDebit {
  const total = debitRow.amount + debitRow.surcharge;
  const authorized = entry('authorized', total);
  const entries = {
    preauthorized: [authorized],
    paid: [authorized, entry('captured', total)],
    failed: [entry('declined', total)],
    voided: [authorized, entry('reversed', total)],
  };
  return { debit: { ...debitRow, state }, entries: entries[state], refunds: [], limit: undefined };
}

/** Makes a paid debit with a refund in this status. */
export function makePaidDebitWithRefund(status: RefundStatus): StoredDebit {
  const paid = makeDebitInState('paid');
  const moved = { ...entry('refunded', refundRow.amount), refund_id: refundRow.id };
  return {
    ...paid,
    entries: status === 'submitted' ? [...paid.entries, moved] : paid.entries,
    refunds: [{ ...refundRow, status, due_at: status === 'failed' ? null : refundRow.due_at }],
  };
}

function entry(kind: DebitEntryInMemory['kind'], amount: number): DebitEntryInMemory {
  return { kind, amount, psp_reference: kind, refund_id: null };
}

const card = makeSavedCardRow('visa');

/** One input of each kind, for the tests. */
export const debitInputs: readonly DebitInput[] = [
  { of: 'debit', is: 'chargeOrdered', debit: debitRow, card },
  { of: 'debit', is: 'holdOrdered', debit: debitRow, card },
  { of: 'debit', is: 'captureAsked', caller: exampleCaller },
  { of: 'debit', is: 'expiryAsked' },
  { of: 'debit', is: 'blockAsked', amount: 0, reason: 'disputed' },
  { of: 'debit', is: 'closeAsked', reason: 'charged back' },
  { of: 'debit', is: 'due' },
];

const order = {
  caller: exampleCaller,
  amount: 4,
  currency: 'EUR',
  reason: 'other',
  reasonDetails: null,
} as const;

export const refundInputs: readonly RefundInput[] = [
  { of: 'refund', is: 'ordered', ...order },
  { of: 'refund', is: 'submitAsked', id: refundRow.id },
  { of: 'refund', is: 'failAsked', id: refundRow.id, why: 'closed' },
  { of: 'refund', is: 'due', id: refundRow.id, dueAt: 2_000 },
];

export const fixedDice: LedgerEntryValueGenerator = {
  identifier: () => '019b78ce-9280-7000-8000-5f3759df0009',
  pspReference: () => 'X7KQ2MZ9RT41LBWD',
  authCode: () => '123456',
};

export const exampleDebitFacts: DebitFacts = {
  now: 1_000,
  dice: fixedDice,
  inTime: true,
  card,
  timeouts: { authorizationMs: 7 * 86_400_000, refundSubmitMs: 2_000, refundRejectionMs: 5_000 },
};
