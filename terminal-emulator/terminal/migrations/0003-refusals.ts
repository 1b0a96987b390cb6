import type { Kysely } from 'kysely';

/** Adds a column that counts the refusals of a message. A message is refused if its receiver cannot read it (B67). */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const table of ['outcome', 'reversal'])
    await db.schema
      .alterTable(table)
      .addColumn('refusals', 'integer', (column) => column.notNull().defaultTo(0))
      .execute();
}
