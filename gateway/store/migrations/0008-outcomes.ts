import type { Kysely } from 'kysely';
import type { Migration } from 'kysely/migration';

/** What became of a payment is kept in no API's form; rows from before have the answer's text alone. */
export const neutralOutcomes: Migration = {
  async up(db: Kysely<never>) {
    await db.schema.alterTable('payment_results').addColumn('outcome', 'text').execute();
  },
};
