import { type Kysely, sql } from 'kysely';
import type { Migration } from 'kysely/migration';
import { isPostgres, makeTableBuilders } from './tables.ts';

/**
 * Stores which sign-in codes and sessions of the console became invalid before they expired. If several gateways share
 * the database, also stores the faults that tests set. A lone gateway keeps these faults in memory.
 */
export const consoleAndFaults: Migration = {
  async up(db: Kysely<never>) {
    const { table } = makeTableBuilders(db);
    await table('console_ended', 'id', { until: 'bigint' });
    if (!isPostgres(db)) return;
    await table('faults', 'id', { fault: 'text', times: 'integer?', set_at: 'bigint' });
    for (const name of ['console_ended', 'faults'])
      await sql`
        create trigger note_change after insert or update or delete on ${sql.table(name)}
        for each row execute function pinpad_note_change('id')`.execute(db);
  },
};
