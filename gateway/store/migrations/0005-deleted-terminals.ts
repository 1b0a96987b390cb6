import type { Kysely } from 'kysely';
import type { Migration } from 'kysely/migration';

/** Lets the payments of a terminal remain when the terminal is deleted (B8). */
export const deletedTerminals: Migration = {
  async up(db: Kysely<never>) {
    await db.schema.alterTable('open_payments').addColumn('terminal_deleted_at', 'bigint').execute();
  },
};
