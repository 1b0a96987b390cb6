import { describe, expect, test } from 'vitest';
import { systemClock } from '../../shared/clock.ts';
import { prepareDatabasesForFile } from '../../test/postgres-for-file.ts';
import { hasPostgres } from '../../test/postgres-programs.ts';
import type { RowChange } from '../store/schema.ts';
import { type GatewayStore, openGatewayStore } from '../store/store.ts';
import { debitRow, makeSavedCardRow, refundRow } from './core/debits.fixture.ts';
import { loadStoredDebit } from './load-stored-debit.ts';

const refunds = [
  { ...refundRow, id: '019b78ce-9280-7000-8000-000000000002', reason_details: 'one "of" them\n– ü' },
  { ...refundRow, id: '019b78ce-9280-7000-8000-000000000001', due_at: null, submitted_at: 1_767_258_000_000 },
];
const limit = {
  debit_id: debitRow.id,
  blocked_amount: 5,
  blocked_reason: null,
  closed_at: 1_767_258_000_000,
  closed_reason: 'x',
};
const entry = {
  payment_id: debitRow.id,
  account_id: 'shop',
  environment: 'sandbox',
  at: 1,
  currency: 'EUR',
  psp_reference: 'psp',
  rule: 'default',
  why: '',
} as const;
const changes: readonly RowChange[] = [
  { insert: 'credit_cards', row: makeSavedCardRow('visa') },
  { insert: 'debits', row: debitRow },
  { insert: 'ledger', row: { ...entry, id: '2', kind: 'captured', amount: 9_999_999_999 } },
  { insert: 'ledger', row: { ...entry, id: '1', kind: 'authorized', amount: 9_999_999_999 } },
  ...refunds.map((row) => ({ insert: 'refunds', row }) as const),
  { insert: 'refund_limits', row: limit },
];

/** Defines the same tests for each kind of database. */
function reads(open: () => Promise<GatewayStore>): void {
  test('a debit is read in one statement with its entries, refunds and limit, the oldest first', async () => {
    const store = await open();
    const read = () => store.read((db) => loadStoredDebit(db, debitRow.id));
    expect(await read()).toBeUndefined();
    await store.commit(changes.slice(0, 2));
    expect(await read()).toEqual({ debit: debitRow, entries: [], refunds: [], limit: undefined });
    await store.commit(changes.slice(2));
    const amount = 9_999_999_999;
    expect(await read()).toEqual({
      debit: debitRow,
      entries: ['authorized', 'captured'].map((kind) => ({
        kind,
        amount,
        psp_reference: 'psp',
        refund_id: null,
      })),
      refunds: refunds.toReversed(),
      limit,
    });
    await store.close();
  });
}

describe('SQLite', () => reads(() => openGatewayStore({ file: ':memory:' })));

describe.runIf(hasPostgres())('PostgreSQL', () => {
  const server = prepareDatabasesForFile();
  reads(async () => openGatewayStore({ url: await (await server()).newGatewaysUrl(), clock: systemClock }));
});
