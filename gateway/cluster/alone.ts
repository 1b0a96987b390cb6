import { type RawBuilder, sql } from 'kysely';
import { StartError } from '../../shared/start-error.ts';
import type { Tx } from '../store/schema.ts';
import type { Store } from '../store/store.ts';

/** The class of this folder's advisory locks. `shared/database` uses the numbers before it. */
const lockClass = 7_346_467;
/**
 * How long a gateway waits for another one: a gateway that hangs during its start must not keep them waiting forever
 * without a message.
 */
const patienceMs = 60_000;
/** The longest wait in one statement. If the server is silent for longer, the connection may count as lost. */
const oneTryMs = 5_000;

/**
 * Runs `work` while no other gateway of the database runs such work. A gateway that comes later waits for its turn.
 *
 * @throws StartError if another gateway takes too long
 */
export function aloneAmongGateways<Result>(
  store: Store,
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

/** Whether the lock is free, or becomes free within `waitMs`. */
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
