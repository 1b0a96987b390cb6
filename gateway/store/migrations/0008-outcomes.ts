import type { Kysely } from 'kysely';
import type { Migration } from 'kysely/migration';

/**
 * Stores the outcome of a payment in a form that is the same for every API. Earlier rows have only the text of the
 * answer.
 */
export const neutralOutcomes: Migration = {
  async up(db: Kysely<never>) {
    await db.schema.alterTable('payment_results').addColumn('outcome', 'text').execute();
  },
};
