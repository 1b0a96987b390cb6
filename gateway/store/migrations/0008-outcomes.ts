import type { Kysely } from 'kysely';
import type { Migration } from 'kysely/migration';

/** The outcome of a payment is kept in no API's form. Earlier rows have only the answer's text. */
export const neutralOutcomes: Migration = {
  async up(db: Kysely<never>) {
    await db.schema.alterTable('payment_results').addColumn('outcome', 'text').execute();
  },
};
