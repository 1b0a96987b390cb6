import { type RawBuilder, sql } from 'kysely';
import { StartError } from '../../shared/start-error.ts';
import type { Tx } from '../store/schema.ts';
import type { Store } from '../store/store.ts';

/** Of our advisory locks; those of shared/database are the ones before it. */
const lockClass = 7_346_467;
/** One that stands still meanwhile must not keep the others from starting without a word. */
const patienceMs = 60_000;
/** A connection whose server says nothing for longer may count as lost. */
const oneTryMs = 5_000;

/**
 * Runs `work` while no other gateway of the database runs such work: who comes later waits.
 *
 * @throws StartError where another takes too long
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
        throw new StartError(
          'another gateway of this database does not come to the end of its start: stop it',
        );
    try {
      return await work();
    } finally {
      await sql`select pg_advisory_unlock${lock}`.execute(connection);
    }
  });
}

/** Whether it is free, or becomes so in time. */
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
