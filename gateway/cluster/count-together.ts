import { sql } from 'kysely';
import { isStorageFault } from '../../shared/database/storage-fault.ts';
import type { CountTogether } from '../http/rate-limit.ts';
import type { Store } from '../store/store.ts';

/**
 * Counts requests of all gateways by the database's clock: a key's bucket is empty from the moment at which it would be
 * full, less the time that a whole bucket takes. One statement, and a row of its own for each key, which is locked first:
 * how long to wait is said of what the requests before this one have left.
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
          with present as (select full_at from rate_limits where key = ${key} for update),
          taken as (
            insert into rate_limits as bucket select ${key}, now() + ${one} from (select count(*) from present) as locked
            on conflict (key) do update set full_at = ${fullThen} where ${fullThen} <= now() + ${whole}
            returning 1
          ),
          bucket as (select coalesce((select full_at from present), now() + ${one}) as full_at)
          select
            exists (select from taken) as taken,
            extract(epoch from ${fullThen} - ${whole} - now())::float as wait
          from bucket`.execute(db),
      );
      const [counted] = rows;
      return counted && !counted.taken ? Math.max(0.001, counted.wait) : 0;
    } catch (error) {
      if (!isStorageFault(error)) throw error;
      return 0; // each gateway by itself, until the database is back
    }
  };
}
