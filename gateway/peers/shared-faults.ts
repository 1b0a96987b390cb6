import { sql } from 'kysely';
import type { Identifiers } from '../../shared/random.ts';
import { type Fault, type FaultCounts, Faults, fault } from '../http/faults.ts';
import type { FaultRow } from '../store/rows/faults.ts';
import type { Store } from '../store/store.ts';
import type { ChangeFeed } from './change-feed.ts';

/** Faults of all gateways of a database: set at one, each of them meets them, together as often as was asked for. */
export async function openSharedFaults(
  identifiers: Identifiers,
  store: Store,
  feed: ChangeFeed,
): Promise<Faults> {
  const faults = new Faults(identifiers, countsIn(store, feed));
  feed.on('faults', {
    known: () => faults.list().map(({ id }) => id),
    install: (id, row) => (row ? faults.install(faultOf(row), row.set_at) : faults.forget(id)),
  });
  const rows = await store.read((db) => db.selectFrom('faults').selectAll().execute());
  for (const row of rows) faults.install(faultOf(row), row.set_at);
  return faults;
}

/** By the database's clock: those of gateways may differ by more than lies between two requests. */
const microsecond = sql<number>`(extract(epoch from clock_timestamp()) * 1000000)::bigint`;

function countsIn(store: Store, feed: ChangeFeed): FaultCounts {
  return {
    async keep({ id, times, ...more }) {
      const row = { id, times, fault: JSON.stringify(more), set_at: microsecond };
      const { set_at } = await store.write((db) =>
        db.insertInto('faults').values(row).returning('set_at').executeTakeFirstOrThrow(),
      );
      feed.changed('faults', id);
      return set_at;
    },
    async drop(ids) {
      const dropped = await store.write((db) =>
        db.deleteFrom('faults').where('id', 'in', ids).returning('id').execute(),
      );
      for (const { id } of dropped) feed.changed('faults', id);
      return dropped.length;
    },
    async use(id) {
      const left = await store.write(async (db) => {
        const row = await db
          .updateTable('faults')
          .set(({ eb }) => ({ times: eb('times', '-', 1) }))
          .where('id', '=', id)
          .returning('times')
          .executeTakeFirst();
        if (row?.times === 0) await db.deleteFrom('faults').where('id', '=', id).execute();
        return row?.times ?? undefined;
      });
      feed.changed('faults', id);
      return left;
    },
  };
}

function faultOf({ id, times, fault: json }: FaultRow): Fault {
  return fault.parse({ ...JSON.parse(json), id, times });
}
