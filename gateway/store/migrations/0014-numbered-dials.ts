import type { Kysely } from 'kysely';
import type { Migration } from 'kysely/migration';

/**
 * Stores the dial by which a terminal's owner got the terminal. A gateway of an older release does not change these
 * columns, but counts the epoch up. So a newer one sees that the dial is not that of the owner.
 */
export const numberedDials: Migration = {
  async up(db: Kysely<never>) {
    for (const [column, type] of [
      ['instance', 'text'],
      ['dial', 'bigint'],
      ['dialled_epoch', 'bigint'],
    ] as const)
      await db.schema.alterTable('terminal_owners').addColumn(column, type).execute();
  },
};
