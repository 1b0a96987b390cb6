import { type Kysely, sql } from 'kysely';
import type { Migration } from 'kysely/migration';
import { isPostgres, tableBuilders } from './tables.ts';

/**
 * Makes a table for faults that let requests through first, or have a kind that the table `faults` does not know. A
 * gateway of an older release would not understand them, so they are in a table that it never reads.
 */
export const aimedFaults: Migration = {
  async up(db: Kysely<never>) {
    if (!isPostgres(db)) return;
    const { table } = tableBuilders(db);
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
