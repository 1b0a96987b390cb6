import { type RawBuilder, sql } from 'kysely';
import { StartError } from '../../shared/start-error.ts';
import type { Tx } from '../store/schema.ts';
import type { GatewayStore } from '../store/store.ts';

/**
 * The first of the two keys of each advisory lock in this folder. The locks in `shared/database` have a lower first
 * key.
 */
const lockClass = 7_346_467;
/**
 * The maximum time in ms for which a gateway waits at its start for another gateway. If the other gateway hangs, the
 * waiting gateway fails with a message.
 */
const patienceMs = 60_000;
/**
 * The time limit for one statement, in ms. If a statement took longer, the connection to the database might count as
 * lost.
 */
const oneTryMs = 5_000;

/**
 * Runs `work` while no other gateway of the database runs work through this function. If another gateway is running
 * work, waits until that work is done.
 *
 * @throws StartError if the other gateway takes too long
 */
export function runExclusivelyAmongGateways<Result>(
  store: GatewayStore,
  work: () => Promise<Result>,
  waitMs = patienceMs,
): Promise<Result> {
  return store.read(async (connection) => {
    const lock = sql`(${sql.lit(lockClass)}, hashtext(current_schema()))`;
    for (
      let leftMs = waitMs;
      !(await locked(connection, lock, Math.min(leftMs, oneTryMs)));
      leftMs -= oneTryMs
    )
      if (leftMs <= oneTryMs)
        throw new StartError('another gateway of this database is starting and does not finish: stop it');
    try {
      return await work();
    } finally {
      await sql`select pg_advisory_unlock${lock}`.execute(connection);
    }
  });
}

/** Takes the lock. If another gateway still holds the lock after `waitMs`, returns false. */
async function locked(connection: Tx, lock: RawBuilder<unknown>, waitMs: number): Promise<boolean> {
  await sql`select set_config('lock_timeout', ${String(waitMs)}, false)`.execute(connection);
  try {
    await sql`select pg_advisory_lock${lock}`.execute(connection);
    return true;
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === lockNotAvailable) return false;
    throw error;
  } finally {
    await sql`select set_config('lock_timeout', '0', false)`.execute(connection);
  }
}

const lockNotAvailable = '55P03';
