import type { Kysely } from 'kysely';

/** Adds how many times the gateway refused a message because the gateway could not read it (B67). */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const table of ['outcome', 'reversal'])
    await db.schema
      .alterTable(table)
      .addColumn('refusals', 'integer', (column) => column.notNull().defaultTo(0))
      .execute();
}
