import type { Kysely } from 'kysely';
import type { Migration } from 'kysely/migration';

/** Which dial of which link holds a terminal. Gateways that do not know of it leave it, and count the epoch up. */
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
