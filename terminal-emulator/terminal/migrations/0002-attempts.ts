import type { Kysely } from 'kysely';

/**
 * Adds a column for an authorization attempt. For a payment under way, this is the last attempt. For a reversal, it is
 * the attempt that the reversal undoes (B134).
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema.alterTable('under_way').addColumn('attempt_id', 'text').execute();
  await db.schema.alterTable('reversal').addColumn('attempt_id', 'text').execute();
}
