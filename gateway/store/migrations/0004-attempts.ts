import type { Kysely } from 'kysely';
import type { Migration } from 'kysely/migration';

/** Adds columns to the ledger for the terminal's attempt and for the card that was used (B134). */
export const ledgerAttempts: Migration = {
  async up(db: Kysely<never>) {
    for (const column of ['attempt_id', 'card', 'application'])
      await db.schema.alterTable('ledger').addColumn(column, 'text').execute();
  },
};
