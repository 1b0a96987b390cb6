import { sql } from 'kysely';
import { isStorageFault } from '../../shared/database/storage-fault.ts';
import type { CountTogether } from '../http/rate-limit.ts';
import type { Store } from '../store/store.ts';

/**
 * Counts requests of all gateways by the database's clock: a key's bucket is empty from the moment at which it would be
 * full, less the time that a whole bucket takes. One statement, and a row of its own for each key.
 */
export function countingTogether(store: Store): CountTogether {
  return async (key, { requests, perSeconds }) => {
    const whole = sql`make_interval(secs => ${perSeconds})`;
    // Rounded down, so that a whole bucket of them is no more than the whole.
    const one = sql`make_interval(secs => ${Math.floor((perSeconds / requests) * 1e6) / 1e6})`;
    const fullThen = sql`greatest(bucket.full_at, now()) + ${one}`;
    try {
      const { rows } = await store.beside((db) =>
        sql<{ taken: boolean; wait: number }>`
          with taken as (
            insert into rate_limits as bucket values (${key}, now() + ${one})
            on conflict (key) do update set full_at = ${fullThen} where ${fullThen} <= now() + ${whole}
            returning 1
          )
          select exists (select from taken) as taken, (
            select extract(epoch from ${fullThen} - ${whole} - now())::float from rate_limits as bucket where key = ${key}
          ) as wait`.execute(db),
      );
      const [counted] = rows;
      return counted && !counted.taken ? Math.max(0.001, counted.wait) : 0;
    } catch (error) {
      if (!isStorageFault(error)) throw error;
      return 0; // each gateway by itself, until the database is back
    }
  };
}
