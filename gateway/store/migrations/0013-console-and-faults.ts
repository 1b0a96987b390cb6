import { type Kysely, sql } from 'kysely';
import type { Migration } from 'kysely/migration';
import { isPostgres, tablesOf } from './tables.ts';

/**
 * Which of the console's codes and sessions ended before their time. And where several gateways share the database the faults
 * that tests set: with one gateway those are in its memory.
 */
export const consoleAndFaults: Migration = {
  async up(db: Kysely<never>) {
    const { table } = tablesOf(db);
    await table('console_ended', 'id', { until: 'bigint' });
    if (!isPostgres(db)) return;
    await table('faults', 'id', { fault: 'text', times: 'integer?', set_at: 'bigint' });
    for (const name of ['console_ended', 'faults'])
      await sql`
        create trigger note_change after insert or update or delete on ${sql.table(name)}
        for each row execute function pinpad_note_change('id')`.execute(db);
  },
};
