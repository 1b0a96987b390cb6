import type { Kysely } from 'kysely';
import type { Migration } from 'kysely/migration';
import { makeTableBuilders } from './tables.ts';

const owned = { account_id: 'text', environment: 'text' } as const;

/** Makes the tables of contacts, saved cards, bank accounts, debits, refunds and events. */
export const savedCards: Migration = {
  async up(db: Kysely<never>) {
    await changeAccountsAndLedger(db);
    await addCards(db);
    await addDebits(db);
    await addRefunds(db);
    await addEvents(db);
  },
};

async function changeAccountsAndLedger(db: Kysely<never>): Promise<void> {
  const { index } = makeTableBuilders(db);
  const accounts = db.schema.alterTable('accounts');
  await accounts.addColumn('card_on_file', 'integer', (column) => column.notNull().defaultTo(0)).execute();
  await accounts.addColumn('surcharge_ppm', 'bigint', (column) => column.notNull().defaultTo(0)).execute();
  await db.schema.alterTable('ledger').addColumn('refund_id', 'text').execute();
  // With these indices, the database refuses a second capture of a debit, and a second transfer for a refund.
  await index('ledger_captured', 'ledger', ['payment_id'])
    .unique()
    .where('kind' as never, '=', 'captured')
    .execute();
  await index('ledger_refund', 'ledger', ['refund_id', 'kind'])
    .unique()
    .where('refund_id' as never, 'is not', null)
    .execute();
}

async function addCards(db: Kysely<never>): Promise<void> {
  const { table, index } = makeTableBuilders(db);
  await table('contacts', 'id', { ...owned, name: 'text', email: 'text?', created_at: 'bigint' });
  await index('contacts_owner', 'contacts', ['account_id', 'environment']).execute();
  await table('credit_cards', 'id', {
    ...owned,
    contact_id: 'text',
    test_card: 'text',
    brand: 'text',
    masked_number: 'text',
    expiry: 'text',
    fingerprint: 'text',
    created_at: 'bigint',
  });
  await index('credit_cards_contact', 'credit_cards', ['contact_id']).execute();
  await table('bank_accounts', 'id', {
    ...owned,
    name: 'text',
    masked_number: 'text?',
    created_at: 'bigint',
  });
  await index('bank_accounts_owner', 'bank_accounts', ['account_id', 'environment']).execute();
}

async function addDebits(db: Kysely<never>): Promise<void> {
  const { table, index } = makeTableBuilders(db);
  await table('debits', 'id', {
    ...owned,
    contact_id: 'text',
    credit_card_id: 'text',
    to_bank_account_id: 'text',
    flow: 'text',
    amount: 'bigint',
    surcharge: 'bigint',
    currency: 'text',
    statement: 'text',
    note: 'text?',
    state: 'text',
    decline_code: 'text?',
    why: 'text',
    created_at: 'bigint',
    expires_at: 'bigint?',
    captured_at: 'bigint?',
    ended_at: 'bigint?',
  });
  await index('debits_owner', 'debits', ['account_id', 'environment', 'id']).execute();
  await index('debits_open', 'debits', ['id'])
    .where('state' as never, '=', 'preauthorized')
    .execute();
}

async function addRefunds(db: Kysely<never>): Promise<void> {
  const { table, index } = makeTableBuilders(db);
  await table('refunds', 'id', {
    ...owned,
    debit_id: 'text',
    amount: 'bigint',
    currency: 'text',
    reason: 'text',
    reason_details: 'text?',
    status: 'text',
    why: 'text',
    created_at: 'bigint',
    due_at: 'bigint?',
    submitted_at: 'bigint?',
    failed_at: 'bigint?',
  });
  await index('refunds_debit', 'refunds', ['debit_id', 'id']).execute();
  await index('refunds_due', 'refunds', ['id'])
    .where('due_at' as never, 'is not', null)
    .execute();
  await table('refund_limits', 'debit_id', {
    blocked_amount: 'bigint',
    blocked_reason: 'text?',
    closed_at: 'bigint?',
    closed_reason: 'text?',
  });
}

async function addEvents(db: Kysely<never>): Promise<void> {
  const { table, index } = makeTableBuilders(db);
  await table('events', 'id', {
    ...owned,
    seq: 'bigint',
    type: 'text',
    resource_id: 'text',
    created_at: 'bigint',
    data: 'text',
    dispatched_at: 'bigint?',
  });
  await index('events_seq', 'events', ['seq']).unique().execute();
  await index('events_undispatched', 'events', ['seq'])
    .where('dispatched_at' as never, 'is', null)
    .execute();
  await index('events_resource', 'events', ['resource_id', 'seq']).execute();
}
