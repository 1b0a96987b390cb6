import type { Kysely } from 'kysely';

/** Adds which attempt at the host a payment has made, and which attempt a reversal undoes (B134). */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema.alterTable('under_way').addColumn('attempt_id', 'text').execute();
  await db.schema.alterTable('reversal').addColumn('attempt_id', 'text').execute();
}
