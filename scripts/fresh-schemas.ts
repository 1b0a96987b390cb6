import { join } from 'node:path';
import { CompiledQuery } from 'kysely';
import type { Migration } from 'kysely/migration';
import { gatewayMigrations as ofGateway } from '../gateway/store/store.ts';
import { Database } from '../shared/database/database.ts';
import { memoryMigrations as ofTerminals } from '../terminal-emulator/terminal/migrations/index.ts';

const root = join(import.meta.dirname, '..');

/**
 * The files with the schemas of new databases. With these files, a start need not run all migrations to make a
 * database.
 */
export const freshSchemaFiles = [
  {
    path: join(root, 'gateway/store/migrations/fresh.json'),
    text: () => freshSchema(ofGateway),
  },
  {
    path: join(root, 'terminal-emulator/terminal/migrations/fresh.json'),
    text: () => freshSchema(ofTerminals),
  },
];

/** Returns the SQL statements that make the same database as all migrations together. */
async function freshSchema(migrations: Record<string, Migration>): Promise<string> {
  const database = await Database.open({ file: ':memory:', migrations });
  const { rows } = await database.read((db) =>
    db.executeQuery<{ sql: string }>(
      CompiledQuery.raw('select sql from sqlite_master where sql is not null order by rowid'),
    ),
  );
  await database.close();
  return `${JSON.stringify(
    rows.map(({ sql }) => sql),
    null,
    2,
  )}\n`;
}
