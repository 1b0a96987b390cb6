import { sql } from 'kysely';
import { StartError } from '../../shared/start-error.ts';
import type { Store } from '../store/store.ts';

/** Of our advisory locks; those of shared/database are the ones before it. */
const lockClass = 7_346_467;
/** One that stands still meanwhile must not keep the others from starting without a word. */
const patienceMs = 60_000;

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
    await sql`select set_config('lock_timeout', ${String(waitMs)}, false)`.execute(connection);
    try {
      await sql`select pg_advisory_lock${lock}`.execute(connection);
    } catch (error) {
      if (error instanceof Error && 'code' in error && error.code === lockNotAvailable)
        throw new StartError(
          'another gateway of this database does not come to the end of its start: stop it',
        );
      throw error;
    } finally {
      await sql`select set_config('lock_timeout', '0', false)`.execute(connection);
    }
    try {
      return await work();
    } finally {
      await sql`select pg_advisory_unlock${lock}`.execute(connection);
    }
  });
}

const lockNotAvailable = '55P03';
