import { sql } from 'kysely';
import { isStorageFault } from '../../shared/database/storage-fault.ts';
import type { SharedRequestCounter } from '../http/rate-limit.ts';
import type { GatewayStore } from '../store/store.ts';

/**
 * Counts the requests to all gateways together, by the database's clock. `key` names a caller. The caller's row has the
 * time at which the caller's bucket will be full again. This time is later if the bucket is emptier. A single statement
 * locks the row and counts the request, so the wait that the statement returns includes all earlier requests.
 */
export function makeSharedRequestCounter(store: GatewayStore): SharedRequestCounter {
  return async (key, { requests, perSeconds }) => {
    const whole = sql`make_interval(secs => ${perSeconds})`;
    // One request takes this much of the bucket. The value is rounded down, because with a larger value even a full
    // bucket might not be enough for the last request.
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
      // without the database, the request is allowed: each gateway counts alone until the database answers again
      return 0;
    }
  };
}
