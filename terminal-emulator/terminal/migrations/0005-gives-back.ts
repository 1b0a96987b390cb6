import type { Kysely } from 'kysely';

/** Adds to each outcome how it gives money back (by a reversal or a refund); null for a payment. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema.alterTable('outcome').addColumn('gives_back', 'text').execute();
}
