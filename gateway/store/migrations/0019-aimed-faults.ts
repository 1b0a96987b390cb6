import { type Kysely, sql } from 'kysely';
import type { Migration } from 'kysely/migration';
import { isPostgres, makeTableBuilders } from './tables.ts';

/**
 * Makes a table for faults that the table `faults` cannot contain. These faults let some requests through first, or are
 * of a kind that older releases do not have. A gateway of an older release would not understand these faults, and it
 * never reads this table.
 */
export const aimedFaults: Migration = {
  async up(db: Kysely<never>) {
    if (!isPostgres(db)) return;
    const { table } = makeTableBuilders(db);
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
