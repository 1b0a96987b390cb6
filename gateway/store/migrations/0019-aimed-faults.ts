import { type Kysely, sql } from 'kysely';
import type { Migration } from 'kysely/migration';
import { isPostgres, tablesOf } from './tables.ts';

/**
 * Faults that let requests through first, or of a kind that is younger than the table `faults`. They have a table of their
 * own, so that a gateway of an older version, which would not understand them, never reads them.
 */
export const aimedFaults: Migration = {
  async up(db: Kysely<never>) {
    if (!isPostgres(db)) return;
    const { table } = tablesOf(db);
    await table('aimed_faults', 'id', {
      fault: 'text',
      lets_through: 'integer',
      times: 'integer?',
      set_at: 'bigint',
    });
    await sql`
      create trigger note_change after insert or update or delete on aimed_faults
      for each row execute function pinpad_note_change('id')`.execute(db);
  },
};
