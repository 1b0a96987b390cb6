import type { Kysely } from 'kysely';
import type { Migration } from 'kysely/migration';

/**
 * Stores the API in which a payment was requested. The column is null for the gateway's native API. Also stores the
 * data that the answers must repeat (B450).
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
