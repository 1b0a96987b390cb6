import type { Kysely } from 'kysely';
import type { Migration } from 'kysely/migration';

/**
 * Stores the dial (an attempt of a terminal to connect) with which a gateway became the terminal's owner. If a gateway
 * of an older release becomes the owner, it increases the epoch and does not change these columns. So a newer gateway
 * sees that the stored dial is not that of the present owner.
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
