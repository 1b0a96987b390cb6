import type { Kysely } from 'kysely';
import type { Migration } from 'kysely/migration';

/** The ledger distinguishes a terminal's attempts, and by which card each was made (B134). */
export const attempts: Migration = {
  async up(db: Kysely<never>) {
    for (const column of ['attempt_id', 'card', 'application'])
      await db.schema.alterTable('ledger').addColumn(column, 'text').execute();
  },
};
