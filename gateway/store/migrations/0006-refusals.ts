import type { Kysely } from 'kysely';
import type { Migration } from 'kysely/migration';

/** Stores how many messages of a payment could not be read, so that the number survives a restart (B67). */
export const unreadableMessageCounts: Migration = {
  async up(db: Kysely<never>) {
    await db.schema
      .alterTable('open_payments')
      .addColumn('refusals', 'integer', (column) => column.notNull().defaultTo(0))
      .execute();
  },
};
