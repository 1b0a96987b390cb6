import { sql } from 'kysely';
import type { GatewayTables, Tx } from './schema.ts';
import type { GatewayStore } from './store.ts';

type Table = keyof GatewayTables;

/** The number of rows of each table. */
export type RowCounts = Record<string, number>;

/** The number of rows in one insert. */
const atOnce = 500;

/** The tables that are not copied, because they are about the gateways that run now. */
const ofGateways = ['gateways', 'terminal_owners', 'leases'];

/** Gives the names of the tables that must be copied from an SQLite store. */
export async function readTablesToCopy(source: GatewayStore): Promise<Table[]> {
  const all = await source.read((db) => db.introspection.getTables());
  return all.map(({ name }) => name as Table).filter((name) => !ofGateways.includes(name));
}

export async function countRows(db: Tx, tables: readonly Table[]): Promise<RowCounts> {
  const counts: RowCounts = {};
  for (const table of tables) {
    const { rows } = await sql<{ count: number }>`select count(*) as count from ${sql.table(table)}`.execute(
      db,
    );
    counts[table] = rows[0]?.count ?? 0;
  }
  return counts;
}

/**
 * Copies all rows from an SQLite store to another store, in the order in which they were inserted. After each insert,
 * the function calls `copied` with the table and the number of its rows that are copied so far.
 */
export async function copyRows(
  source: GatewayStore,
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
