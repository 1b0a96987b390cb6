import type { Kysely } from 'kysely';
import type { Migration } from 'kysely/migration';
import type { Database } from './database.ts';

/** The schema of a database for tests, with one table. */
export interface Things {
  thing: { id: number; name: string };
}

export const thingMigrations: Record<string, Migration> = {
  '0001-thing': {
    async up(db: Kysely<unknown>) {
      await db.schema
        .createTable('thing')
        .addColumn('id', 'integer', (column) => column.primaryKey())
        .addColumn('name', 'text', (column) => column.notNull())
        .execute();
    },
  },
};

/** Reads the identifiers of all rows. */
export async function readThingIds(database: Database<Things>): Promise<number[]> {
  const rows = await database.read((db) => db.selectFrom('thing').select('id').orderBy('id').execute());
  return rows.map(({ id }) => id);
}
