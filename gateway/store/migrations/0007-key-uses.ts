import { type Kysely, sql } from 'kysely';
import type { Migration } from 'kysely/migration';

/**
 * Allows at most one payment for each use of an idempotency key. A key can be used again after it has expired. Each
 * further use has a number that is one higher. A unique index in the database refuses a second payment for the same
 * use. So one request never makes two payments, even if the gateway's memory is wrong (B55, B58).
 */
export const idempotencyKeyUses: Migration = {
  async up(db: Kysely<never>) {
    await db.schema
      .alterTable('payments')
      .addColumn('key_use', 'integer', (column) => column.notNull().defaultTo(0))
      .execute();
    await sql`
      update payments set key_use = (
        select count(*) from payments as former
        where former.account_id = payments.account_id and former.environment = payments.environment
          and former.idempotency_key = payments.idempotency_key and former.id < payments.id)
      where idempotency_key is not null`.execute(db);
    await db.schema.dropIndex('payments_key').execute();
    await db.schema
      .createIndex('payments_key_use')
      .on('payments')
      .columns(['account_id', 'idempotency_key', 'environment', 'key_use'])
      .unique()
      .where('idempotency_key' as never, 'is not', null)
      .execute();
    await db.schema
      .createIndex('payment_results_concluded')
      .on('payment_results')
      .column('concluded_at')
      .execute();
  },
};
