import type { GatewayStore } from './store.ts';

/** The columns with times at which something will be due. */
const due = new Set(['due_at', 'deadline_at', 'expires_at']);

/**
 * Gives the latest stored time (epoch ms) at which something happened. Returns undefined if no such time is stored.
 * Times at which something will be due do not count. A virtual clock starts at the latest time (B123).
 */
export function readLatestStoredTime(store: GatewayStore): Promise<number | undefined> {
  return store.read(async (db) => {
    let latest: number | undefined;
    for (const { name: table, columns } of await db.introspection.getTables())
      for (const { name: column } of columns) {
        if (!/(^|_)at$/.test(column) || due.has(column)) continue;
        const { ref } = db.dynamic;
        const row = await db
          .selectFrom(table as 'payments')
          .select((select) => select.fn.max<number | null>(ref<'accepted_at'>(column)).as('latest'))
          .executeTakeFirst();
        if (typeof row?.latest === 'number') latest = Math.max(latest ?? 0, row.latest);
      }
    return latest;
  });
}
