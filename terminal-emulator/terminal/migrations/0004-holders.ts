import type { Kysely } from 'kysely';

/** Adds a table that says which process runs a terminal (B198). */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('holder')
    .addColumn('poi_id', 'text', (column) => column.primaryKey())
    .addColumn('lock', 'integer', (column) => column.notNull())
    .addColumn('pid', 'integer', (column) => column.notNull())
    .execute();
}
