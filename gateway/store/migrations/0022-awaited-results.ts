import type { Kysely } from 'kysely';
import type { Migration } from 'kysely/migration';

/** Makes the table of payments that were answered before their result was known. Their result is sent later (B460). */
export const awaitedResults: Migration = {
  async up(db: Kysely<never>) {
    await db.schema
      .createTable('awaited_results')
      .addColumn('payment_id', 'text', (column) => column.primaryKey().notNull())
      .addColumn('account_id', 'text', (column) => column.notNull())
      .addColumn('environment', 'text', (column) => column.notNull())
      .execute();
  },
};
