import type { UnwrittenEntry } from '../../shared/journal.ts';
import type { LedgerRow } from '../store/rows/acquirer.ts';
import type { RowChange } from '../store/schema.ts';

/** The payment to which an entry belongs. */
export interface LedgerSubject {
  id: string;
  accountId: string;
  environment: LedgerRow['environment'];
  currency: string;
}

/** Makes random values for an entry. Each value is drawn only when it is needed. */
export interface LedgerEntryValueGenerator {
  identifier(): string;
  pspReference(): string;
  /** Draws the six digits of an authorization code. */
  authCode(): string;
}

type Particulars = Pick<LedgerRow, 'kind' | 'amount' | 'rule' | 'why'> &
  Partial<
    Pick<
      LedgerRow,
      | 'psp_reference'
      | 'auth_code'
      | 'error_condition'
      | 'refusal_reason'
      | 'message'
      | 'attempt_id'
      | 'card'
      | 'application'
      | 'refund_id'
    >
  >;

/** Makes a new entry in the ledger of a payment. */
export function makeLedgerEntry(
  payment: LedgerSubject,
  { now, dice }: { now: number; dice: LedgerEntryValueGenerator },
  particulars: Particulars,
): LedgerRow {
  return {
    id: dice.identifier(),
    payment_id: payment.id,
    account_id: payment.accountId,
    environment: payment.environment,
    at: now,
    currency: payment.currency,
    psp_reference: dice.pspReference(),
    auth_code: null,
    error_condition: null,
    refusal_reason: null,
    message: null,
    attempt_id: null,
    card: null,
    application: null,
    refund_id: null,
    ...particulars,
  };
}

export function makeLedgerEntryInsertion(row: LedgerRow): RowChange {
  return { insert: 'ledger', row };
}

/** Makes the journal entry for a new entry in the ledger. */
export function makeLedgerJournalNote(entry: LedgerRow, terminal: string | undefined): UnwrittenEntry {
  const about = { terminal, payment: entry.payment_id };
  const { kind, amount, currency, psp_reference: pspReference, why } = entry;
  const decided = { amount, currency, pspReference, rule: `${entry.rule}: ${why}` };
  const refund = entry.refund_id ?? entry.payment_id;
  if (kind === 'authorized') return { kind: 'ledger.authorized', data: decided, about };
  if (kind === 'declined') return { kind: 'ledger.declined', data: decided, about };
  if (kind === 'captured') return { kind: 'ledger.captured', data: decided, about };
  if (kind === 'refunded') {
    const rule = entry.refund_id === null ? { rule: decided.rule } : {};
    return { kind: 'ledger.refunded', data: { amount, currency, refund, ...rule }, about };
  }
  if (kind === 'returned')
    return { kind: 'ledger.returned', data: { amount, currency, refund, reason: why }, about };
  return { kind: 'ledger.reversed', data: { reason: why, amount }, about };
}
