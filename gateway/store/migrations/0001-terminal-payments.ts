import type { Kysely } from 'kysely';
import type { Migration } from 'kysely/migration';
import { makeTableBuilders } from './tables.ts';

const owned = { account_id: 'text', environment: 'text' } as const;

/** Makes the tables of accounts, tokens, stores, terminals, terminal payments and the acquirer's ledger. */
export const terminalPayments: Migration = {
  async up(db: Kysely<never>) {
    await addAccounts(db);
    await addPayments(db);
    await addLedger(db);
  },
};

async function addAccounts(db: Kysely<never>): Promise<void> {
  const { table, index } = makeTableBuilders(db);
  await table('accounts', 'id', {
    name: 'text',
    currency: 'text',
    transaction_limit: 'bigint',
    magic_amounts: 'integer',
    merchant_id: 'text',
    created_at: 'bigint',
  });
  await table('tokens', 'id', {
    ...owned,
    hash: 'text',
    label: 'text',
    created_at: 'bigint',
    expires_at: 'bigint?',
    revoked_at: 'bigint?',
  });
  await index('tokens_hash', 'tokens', ['hash']).unique().execute();
  await table('stores', 'id', { ...owned, name: 'text', address: 'text', created_at: 'bigint' });
  await table('terminals', 'id', {
    ...owned,
    poi_id: 'text',
    store_id: 'text',
    payout_account: 'text?',
    device_key_hash: 'text',
    magic_amounts: 'integer?',
    created_at: 'bigint',
  });
  await index('terminals_poi', 'terminals', ['poi_id']).unique().execute();
}

async function addPayments(db: Kysely<never>): Promise<void> {
  const { table, index } = makeTableBuilders(db);
  await table('payments', 'id', {
    ...owned,
    terminal_id: 'text',
    service_id: 'text',
    amount: 'bigint',
    currency: 'text',
    idempotency_key: 'text?',
    request_hash: 'text?',
    accepted_at: 'bigint',
    message: 'text',
    unknown_fields: 'text?',
    pin_rule: 'text?',
  });
  await index('payments_terminal', 'payments', ['terminal_id', 'id']).execute();
  await index('payments_key', 'payments', ['account_id', 'idempotency_key', 'id'])
    .where('idempotency_key' as never, 'is not', null)
    .execute();
  await table('open_payments', 'payment_id', {
    terminal_id: 'text',
    delivered_at: 'bigint?',
    deadline_at: 'bigint?',
    abort_requested_at: 'bigint?',
  });
  await table('payment_results', 'payment_id', {
    concluded_at: 'bigint',
    delivered_at: 'bigint?',
    abort_requested_at: 'bigint?',
    result: 'text',
    error_condition: 'text?',
    total: 'bigint?',
    decided_by: 'text',
    why: 'text',
    answer: 'text',
  });
}

async function addLedger(db: Kysely<never>): Promise<void> {
  const { table, index } = makeTableBuilders(db);
  await table('ledger', 'id', {
    ...owned,
    payment_id: 'text',
    at: 'bigint',
    kind: 'text',
    amount: 'bigint',
    currency: 'text',
    psp_reference: 'text',
    auth_code: 'text?',
    error_condition: 'text?',
    refusal_reason: 'text?',
    message: 'text?',
    rule: 'text',
    why: 'text',
  });
  await index('ledger_payment', 'ledger', ['payment_id', 'id']).execute();
  await table('outcomes', 'subject', { scope: 'text', mode: 'text', outcome: 'text', set_at: 'bigint' });
}
