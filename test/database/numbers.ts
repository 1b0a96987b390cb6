import type { Kysely } from 'kysely';
import type { Migration } from 'kysely/migration';

export interface Schema {
  number: { n: number };
}

export const numberMigrations: Record<string, Migration> = {
  '0001-number': {
    async up(db: Kysely<unknown>) {
      await db.schema
        .createTable('number')
        .addColumn('n', 'integer', (column) => column.primaryKey())
        .execute();
    },
  },
};
