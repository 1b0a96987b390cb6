import type { Kysely } from 'kysely';

/** Whether an outcome is of a reversal or a refund; null of a payment. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema.alterTable('outcome').addColumn('gives_back', 'text').execute();
}
