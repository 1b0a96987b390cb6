import type { Kysely } from 'kysely';
import type { Migration } from 'kysely/migration';

/** How often a message of a payment could not be read outlives the process (B67). */
export const refusals: Migration = {
  async up(db: Kysely<never>) {
    await db.schema
      .alterTable('open_payments')
      .addColumn('refusals', 'integer', (column) => column.notNull().defaultTo(0))
      .execute();
  },
};
