import type { Kysely } from 'kysely';

/**
 * Adds a column for the authorization attempt: of a payment under way, its last attempt; of a reversal, the attempt
 * that it undoes (B134).
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema.alterTable('under_way').addColumn('attempt_id', 'text').execute();
  await db.schema.alterTable('reversal').addColumn('attempt_id', 'text').execute();
}
