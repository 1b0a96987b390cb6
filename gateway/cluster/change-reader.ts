import { sql } from 'kysely';
import { type MemoryCopiedTable, memoryCopiedTables } from '../engine/memory-copies.ts';
import type { GatewayTables, Tx } from '../store/schema.ts';
import type { GatewayStore } from '../store/store.ts';

/** A point in the sequence of changes. Everything that was committed before this point has been read. */
export interface ChangePosition {
  /**
   * PostgreSQL's snapshot (`pg_snapshot`). It also names the transactions that had not ended when the snapshot was
   * taken.
   */
  readonly snapshot: string;
  readonly at: string;
}

interface ChangesSince {
  /** The table and the key of each changed row. Each row is listed once. */
  readonly changed: readonly (readonly [table: string, key: string])[];
  /**
   * True if the list may be incomplete. The reason is that the last reading was too long ago, or that the database was
   * restored from a backup.
   */
  readonly missed: boolean;
  readonly position: ChangePosition;
}

/** The maximum number of keys in one query. */
const mostKeys = 1_000;

export function readCurrentPosition(store: GatewayStore): Promise<ChangePosition> {
  return store.read((db) =>
    one<ChangePosition>(db, sql`select pg_current_snapshot()::text as snapshot, now()::text as at`),
  );
}

/**
 * Reads which rows have changed since a position. A transaction may change rows before the position and commit after
 * it. So the query also looks for the changes of transactions that had not ended at the position.
 */
export async function readChangesSince(
  store: GatewayStore,
  { snapshot, at }: ChangePosition,
): Promise<ChangesSince> {
  const before = sql`${snapshot}::pg_snapshot`;
  const { changed, missed, ...position } = await store.read((db) =>
    one<ChangePosition & Pick<ChangesSince, 'changed' | 'missed'>>(
      db,
      sql`
        select pg_current_snapshot()::text as snapshot, now()::text as at,
          now() - ${at}::timestamptz > interval '30 minutes'
            or pg_snapshot_xmax(pg_current_snapshot()) < pg_snapshot_xmax(${before}) as missed,
          (
            select coalesce(json_agg(json_build_array(table_name, row_id)), '[]')
            from (
              select distinct table_name, row_id from changes
              where transaction_id >= pg_snapshot_xmin(${before})
                and not pg_visible_in_snapshot(transaction_id, ${before})
            ) as since
          ) as changed`,
    ),
  );
  return { changed, missed, position };
}

/** Reads the rows with these keys, and returns them in a map by key. Deleted rows are absent. */
export async function readRowsByKey<Table extends MemoryCopiedTable>(
  store: GatewayStore,
  table: Table,
  keys: readonly string[],
): Promise<Map<string, GatewayTables[Table]>> {
  const rows = new Map<string, GatewayTables[Table]>();
  const key = memoryCopiedTables[table];
  for (let from = 0; from < keys.length; from += mostKeys) {
    const some = keys.slice(from, from + mostKeys);
    const read = await store.read((db) =>
      sql<Record<string, unknown>>`
        select * from ${sql.table(table)} where ${sql.ref(key)} = any(${some})`.execute(db),
    );
    for (const row of read.rows) rows.set(row[key] as string, row as never);
  }
  return rows;
}

export async function readAllKeys(store: GatewayStore, table: MemoryCopiedTable): Promise<string[]> {
  const { rows } = await store.read((db) =>
    sql<{
      key: string;
    }>`select ${sql.ref(memoryCopiedTables[table])} as key from ${sql.table(table)}`.execute(db),
  );
  return rows.map(({ key }) => key);
}

/** Deletes old entries of the table `changes`. Every gateway has read these entries already. */
export async function dropOldChanges(store: GatewayStore): Promise<void> {
  await store.beside((db) =>
    sql`
      delete from changes where ctid = any(array(
        select ctid from changes where changed_at < now() - interval '1 hour' for update skip locked limit 10000
      ))`.execute(db),
  );
}

async function one<Row>(db: Tx, query: ReturnType<typeof sql<Row>>): Promise<Row> {
  const { rows } = await query.execute(db);
  return rows[0] as Row;
}
