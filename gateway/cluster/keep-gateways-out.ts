import { sql } from 'kysely';
import { StartError } from '../../shared/start-error.ts';
import type { Tx } from '../store/schema.ts';
import { defaultClusterTimings } from './cluster-timings.ts';
import { databaseTimeSql } from './gateways.ts';

/**
 * Makes sure that no gateway uses the database now, and that no gateway can start before this transaction ends.
 *
 * @throws StartError if a gateway uses the database
 */
export async function keepGatewaysOut(target: Tx): Promise<void> {
  await sql`lock table gateways in exclusive mode`.execute(target);
  const alive = await target
    .selectFrom('gateways')
    .select('name')
    .where('ended', '=', 0)
    .where('seen_at', '>', sql<number>`${databaseTimeSql} - ${defaultClusterTimings.deadAfterMs}`)
    .executeTakeFirst();
  if (alive)
    throw new StartError(
      `the gateway ${alive.name} uses the database; stop it first, or choose another database`,
    );
}
