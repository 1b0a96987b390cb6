import type { Kysely } from 'kysely';
import type { Migration } from 'kysely/migration';
import { makeTableBuilders } from './tables.ts';

const owned = { account_id: 'text', environment: 'text' } as const;

/**
 * Makes the tables of credits with their security questions, and of webhooks with their deliveries. Credits are payouts
 * that a customer claims by a link.
 */
export const creditsAndWebhooks: Migration = {
  async up(db: Kysely<never>) {
    await addWebhooks(db);
    await addCredits(db);
  },
};

async function addWebhooks(db: Kysely<never>): Promise<void> {
  const { table, index } = makeTableBuilders(db);
  await table('webhooks', 'id', {
    ...owned,
    url: 'text',
    description: 'text',
    types: 'text?',
    secret: 'text',
    former_secret: 'text?',
    former_until: 'bigint?',
    disabled_at: 'bigint?',
    disabled_why: 'text?',
    created_at: 'bigint',
  });
  await table('webhook_deliveries', 'id', {
    ...owned,
    webhook_id: 'text',
    event_id: 'text',
    event_seq: 'bigint',
    resource_id: 'text',
    state: 'text',
    why: 'text',
    tries: 'integer',
    due_at: 'bigint?',
    created_at: 'bigint',
    ended_at: 'bigint?',
  });
  await index('webhook_deliveries_pending', 'webhook_deliveries', ['event_seq'])
    .where('state' as never, '=', 'pending')
    .execute();
  // An event has only one delivery for each webhook, even if the delivery is tried several times.
  await index('webhook_deliveries_event', 'webhook_deliveries', ['event_id', 'webhook_id'])
    .unique()
    .execute();
  await index('webhook_deliveries_webhook', 'webhook_deliveries', ['webhook_id', 'id']).execute();
  await table('webhook_attempts', 'id', {
    delivery_id: 'text',
    at: 'bigint',
    duration_ms: 'bigint',
    by: 'text',
    status: 'integer?',
    error: 'text?',
    answer: 'text?',
  });
  await index('webhook_attempts_delivery', 'webhook_attempts', ['delivery_id', 'id']).execute();
}

async function addCredits(db: Kysely<never>): Promise<void> {
  const { table, index } = makeTableBuilders(db);
  await table('credits', 'id', {
    ...owned,
    contact_id: 'text',
    from_bank_account_id: 'text',
    amount: 'bigint',
    currency: 'text',
    statement: 'text',
    note: 'text?',
    state: 'text',
    why: 'text',
    token_hash: 'text',
    wrong_answers: 'integer',
    locked_until: 'bigint?',
    refusal: 'text?',
    bank_kind: 'text?',
    bank_masked: 'text?',
    created_at: 'bigint',
    expires_at: 'bigint',
    ended_at: 'bigint?',
  });
  await index('credits_token', 'credits', ['token_hash']).unique().execute();
  await index('credits_owner', 'credits', ['account_id', 'environment', 'id']).execute();
  await index('credits_open', 'credits', ['id'])
    .where('state' as never, '=', 'initiated')
    .execute();
  await table('credit_visits', 'id', {
    credit_id: 'text',
    bank_kind: 'text?',
    bank_masked: 'text?',
    bank_refuses: 'integer',
    answered_at: 'bigint',
  });
  await index('credit_visits_credit', 'credit_visits', ['credit_id']).execute();
  await table('security_questions', 'account_id', { question: 'text', answer_hash: 'text' });
}
