import { sql } from 'kysely';
import type { IdentifierGenerator } from '../../shared/random.ts';
import { type Fault, Faults, type FaultUseResult, type SharedFaultStore } from '../faults/faults.ts';
import type { ExtendedFaultRow, FaultRow } from '../store/rows/faults.ts';
import type { Tx } from '../store/schema.ts';
import type { GatewayStore } from '../store/store.ts';
import type { ClusterChangeReader } from './change-feed.ts';

const tables = ['faults', 'aimed_faults'] as const;
type Table = (typeof tables)[number];
/** For each stored fault, the table that contains the fault. The key is the fault's identifier. */
type Places = Map<string, Table>;
/**
 * Reads a stored fault, which an older release may have stored. Returns undefined if this release does not know the
 * fault's kind.
 */
type Read = (stored: object) => Fault | undefined;

/**
 * The kinds of faults that gateways of older releases know. Such a gateway would fail at any other kind. So the other
 * kinds are in a table that these gateways do not read (B212).
 */
const oldest = new Set(['dropRequest', 'dropAnswer', 'delayAnswer', 'failAnswer']);
const tableFor = ({ fault, after }: Fault): Table =>
  oldest.has(fault) && after === 0 ? 'faults' : 'aimed_faults';

/**
 * Opens the faults of all gateways of a database. A fault that is set at one gateway takes effect at all gateways. If a
 * test limits the number of times, the uses at all gateways count together (B188).
 */
export async function openSharedFaults(
  identifiers: IdentifierGenerator,
  store: GatewayStore,
  feed: ClusterChangeReader,
  read: Read,
): Promise<Faults> {
  const places: Places = new Map();
  const faults = new Faults(identifiers, countsIn(store, feed, places));
  const install = (table: Table, row: FaultRow | ExtendedFaultRow) => {
    const known = read(storedFault(row));
    if (!known) return; // this release does not know the kind, so only gateways of a newer release carry the fault out
    places.set(known.id, table);
    faults.install(known, row.set_at);
  };
  for (const table of tables) {
    feed.keep(table, {
      known: () => [...places.keys()].filter((id) => places.get(id) === table),
      install(id, row) {
        if (row) return install(table, row);
        places.delete(id);
        faults.forget(id);
      },
    });
    for (const row of await store.read((db) => db.selectFrom(table).selectAll().execute()))
      install(table, row);
  }
  return faults;
}

/**
 * The present time by the database's clock, in microseconds. The gateways' own clocks are not exact enough, because
 * they may differ by more than the time between two requests.
 */
const microsecond = sql<number>`(extract(epoch from clock_timestamp()) * 1000000)::bigint`;

function countsIn(store: GatewayStore, feed: ClusterChangeReader, places: Places): SharedFaultStore {
  return {
    async keep(fault) {
      const { id, times, after, ...more } = fault;
      const table = tableFor(fault);
      const row = { id, times, fault: JSON.stringify(more), set_at: microsecond };
      const { set_at } = await store.write((db) =>
        table === 'faults'
          ? db.insertInto(table).values(row).returning('set_at').executeTakeFirstOrThrow()
          : db
              .insertInto(table)
              .values({ ...row, lets_through: after })
              .returning('set_at')
              .executeTakeFirstOrThrow(),
      );
      places.set(id, table);
      feed.changed(table, id);
      return set_at;
    },
    async drop(ids) {
      const dropped = await store.write(async (db) => {
        const each = tables.map(async (table) => {
          const gone = await db.deleteFrom(table).where('id', 'in', ids).returning('id').execute();
          return gone.map(({ id }) => ({ table, id }));
        });
        return (await Promise.all(each)).flat();
      });
      for (const { table, id } of dropped) feed.changed(table, id);
      return dropped.length;
    },
    async use({ id }) {
      const table = places.get(id) ?? 'faults';
      const use = await (table === 'faults' ? meetOldest(store, id) : meetAimed(store, id));
      feed.changed(table, id);
      return use;
    },
  };
}

function meetOldest(store: GatewayStore, id: string): Promise<FaultUseResult> {
  return store.write((db) => useUp(db, 'faults', id));
}

function meetAimed(store: GatewayStore, id: string): Promise<FaultUseResult> {
  return store.write(async (db) => {
    const passed = await db
      .updateTable('aimed_faults')
      .set(({ eb }) => ({ lets_through: eb('lets_through', '-', 1) }))
      .where('id', '=', id)
      .where('lets_through', '>', 0)
      .returning('id')
      .executeTakeFirst();
    return passed ? 'letThrough' : useUp(db, 'aimed_faults', id);
  });
}

/** Counts one use of a fault. After the last use, the fault's row is deleted. */
async function useUp(db: Tx, table: Table, id: string): Promise<FaultUseResult> {
  const row = await db
    .updateTable(table)
    .set(({ eb }) => ({ times: eb('times', '-', 1) }))
    .where('id', '=', id)
    .returning('times')
    .executeTakeFirst();
  if (row?.times === 0) await db.deleteFrom(table).where('id', '=', id).execute();
  return row ?? 'gone';
}

function storedFault({ id, times, fault: json, ...more }: FaultRow | ExtendedFaultRow): object {
  const after = 'lets_through' in more ? more.lets_through : 0;
  return { ...JSON.parse(json), id, times, after };
}
