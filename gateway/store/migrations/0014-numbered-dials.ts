import type { Kysely } from 'kysely';
import type { Migration } from 'kysely/migration';

/**
 * Stores which dial (an attempt of a terminal to connect) made a gateway the terminal's owner. If a gateway of an older
 * release becomes the owner, it counts the epoch up but does not change these columns. So a newer gateway sees that the
 * stored dial is not that of the owner.
 */
export const terminalOwnerDials: Migration = {
  async up(db: Kysely<never>) {
    for (const [column, type] of [
      ['instance', 'text'],
      ['dial', 'bigint'],
      ['dialled_epoch', 'bigint'],
    ] as const)
      await db.schema.alterTable('terminal_owners').addColumn(column, type).execute();
  },
};
