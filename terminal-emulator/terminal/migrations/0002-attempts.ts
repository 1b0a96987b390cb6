import type { Kysely } from 'kysely';

/** Adds a payment's attempt at the host, and the attempt that a reversal undoes (B134). */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema.alterTable('under_way').addColumn('attempt_id', 'text').execute();
  await db.schema.alterTable('reversal').addColumn('attempt_id', 'text').execute();
}
