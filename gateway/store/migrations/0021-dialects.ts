import type { Kysely } from 'kysely';
import type { Migration } from 'kysely/migration';

/**
 * Adds the API in which a payment was requested, if it is not the gateway's native one, and the data that its answers
 * must repeat (B450).
 */
export const paymentDialects: Migration = {
  async up(db: Kysely<never>) {
    for (const [column, type] of [
      ['dialect', 'text'],
      ['dialect_data', 'text'],
      ['needs_link', 'integer'],
    ] as const)
      await db.schema.alterTable('payments').addColumn(column, type).execute();
  },
};
