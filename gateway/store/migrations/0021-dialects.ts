import type { Kysely } from 'kysely';
import type { Migration } from 'kysely/migration';

/** A payment may be asked for in another API than the service's own, which has to repeat what it was asked (B450). */
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
