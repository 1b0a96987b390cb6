import { sql } from 'kysely';
import type { Schema, Tx } from './schema.ts';
import type { Store } from './store.ts';

type Table = keyof Schema;

/** How many rows a table has. */
export type Counts = Record<string, number>;

/** The number of rows that are copied at a time. */
const atOnce = 500;

/** Tables about the gateways that are there now, which are not copied. */
const ofGateways = ['gateways', 'terminal_owners', 'leases'];

/** The tables of an SQLite store that hold data. */
export async function dataTables(source: Store): Promise<Table[]> {
  const all = await source.read((db) => db.introspection.getTables());
  return all.map(({ name }) => name as Table).filter((name) => !ofGateways.includes(name));
}

export async function countRows(db: Tx, tables: readonly Table[]): Promise<Counts> {
  const counts: Counts = {};
  for (const table of tables) {
    const { rows } = await sql<{ count: number }>`select count(*) as count from ${sql.table(table)}`.execute(
      db,
    );
    counts[table] = rows[0]?.count ?? 0;
  }
  return counts;
}

/** Inserts all rows of an SQLite store's tables into another's, in the order in which they were made; `copied` hears of each step. */
export async function copyRows(
  source: Store,
  tables: readonly Table[],
  target: Tx,
  copied: (table: string, rows: number) => void,
): Promise<void> {
  for (const table of tables) {
    let last = 0;
    for (let count = 0; ; ) {
      const rows = await source.read((db) => rowsAfter(db, table, last));
      if (rows.length === 0) break;
      last = rows.at(-1)?.copied_row ?? last;
      const values = rows.map(({ copied_row: _, ...row }) => row);
      await target
        .insertInto(table)
        .values(values as never)
        .execute();
      count += rows.length;
      copied(table, count);
    }
  }
}

async function rowsAfter(db: Tx, table: Table, last: number): Promise<{ copied_row: number }[]> {
  const { rows } = await sql<{ copied_row: number }>`
    select rowid as copied_row, * from ${sql.table(table)}
    where rowid > ${last} order by rowid limit ${sql.lit(atOnce)}`.execute(db);
  return rows;
}
