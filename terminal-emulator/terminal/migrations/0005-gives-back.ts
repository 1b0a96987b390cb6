import type { Kysely } from 'kysely';

/**
 * Adds to each outcome the way in which it gives money back (a reversal or a refund). The value is null for a
 * payment.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema.alterTable('outcome').addColumn('gives_back', 'text').execute();
}
