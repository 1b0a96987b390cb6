import { CompiledQuery, type Kysely } from 'kysely';
import type { Migration } from 'kysely/migration';
import { DataMissingError } from './data-missing.ts';

interface MigrateOptions<Schema> {
  /** The statements that make the schema of a new database. */
  fresh?: readonly string[];
  /**
   * Whether the database held data at an earlier start. If it held data and is empty now, the migration fails and makes
   * no tables.
   */
  mustHold?: boolean;
  /** Gives the name of a table that another program made, if there is one. */
  foreign?(db: Kysely<Schema>): Promise<string | undefined>;
}

/**
 * Brings a database's schema up to date. All missing migrations and Kysely's own tables are made in one commit. So if
 * the process is killed, either all of them are in the database or none. If no migration is missing, one query is
 * enough, and the migrator is not loaded. A new database needs no migrator either: the statements in `fresh` make the
 * same schema as all migrations together.
 *
 * A name such as `0021-colours@0019` says that the migration only adds things. So an older release that has migration
 * 0019 can still work with the changed database, and ignores the added things. Both releases may even run at the same
 * time.
 *
 * @throws DataMissingError; Error if a migration fails, if the database belongs to another program, or if a newer release
 * made a migration that this release cannot work with
 */
export async function migrate<Schema>(
  db: Kysely<Schema>,
  migrations: Record<string, Migration>,
  { fresh, mustHold = false, foreign = async () => undefined }: MigrateOptions<Schema> = {},
): Promise<void> {
  const applied = await appliedTo(db);
  const names = Object.keys(migrations);
  const newer = applied.find((name) => !names.includes(name) && !isAllowedBeside(name, names));
  if (newer) throw new Error(`a newer release has changed the data (${newer}): start that release`);
  if (names.every((name) => applied.includes(name))) return;
  if ((fresh || mustHold) && applied.length === 0 && (await isEmpty(db))) {
    if (mustHold) throw new DataMissingError('it is empty');
    if (fresh) return create(db, names, fresh);
  }
  const { Migrator } = await import('kysely/migration');
  const provider = { getMigrations: async () => migrations };
  await underMigrationLock(db, async (connection) => {
    // The query is repeated now that this gateway has the migrator's lock, because another gateway may have made
    // pinpad's tables meanwhile.
    const others = (await appliedTo(connection)).length === 0 && (await foreign(connection));
    if (others)
      throw new Error(
        `the database has tables that do not belong to pinpad (${others}): give pinpad a database of its own`,
      );
    await connection.transaction().execute(async (transaction) => {
      const { error } = await new Migrator({ db: transaction, provider }).migrateToLatest();
      if (error) throw error;
    });
  });
}

/** Whether a release with these migrations can work with a newer migration. */
function isAllowedBeside(newer: string, names: readonly string[]): boolean {
  const needed = newer.split('@')[1];
  return needed !== undefined && names.some((name) => name.startsWith(`${needed}-`));
}

/**
 * Runs work under the migrator's lock. Several gateways may start at the same time on PostgreSQL. So the lock is taken
 * before the migrator makes its own tables, and kept until these tables are on disk. SQLite has no such lock.
 */
async function underMigrationLock<Schema>(
  db: Kysely<Schema>,
  work: (connection: Kysely<Schema>) => Promise<void>,
): Promise<void> {
  const options = { lockTable: 'kysely_migration_lock', lockRowId: 'migration_lock' };
  await db.connection().execute(async (connection) => {
    const { adapter } = connection.getExecutor();
    await adapter.acquireMigrationLock(connection, options);
    try {
      await work(connection);
    } finally {
      await adapter.releaseMigrationLock(connection, options);
    }
  });
}

/**
 * Gives the names of the migrations that were applied to a database. If the query fails, gives an empty list; the
 * migrator then finds out why the query fails.
 */
async function appliedTo<Schema>(db: Kysely<Schema>): Promise<string[]> {
  try {
    const applied = await db.executeQuery<{ name: string }>(
      CompiledQuery.raw('select name from kysely_migration'),
    );
    return applied.rows.map(({ name }) => name);
  } catch {
    return [];
  }
}

async function isEmpty<Schema>(db: Kysely<Schema>): Promise<boolean> {
  const { rows } = await db.executeQuery(CompiledQuery.raw('select name from sqlite_master limit 1'));
  return rows.length === 0;
}

async function create<Schema>(db: Kysely<Schema>, names: string[], fresh: readonly string[]): Promise<void> {
  const migrated = "insert into kysely_migration values (?, strftime('%Y-%m-%dT%H:%M:%fZ', 'now'))";
  const unlocked = "insert into kysely_migration_lock values ('migration_lock', 0)";
  await db.transaction().execute(async (transaction) => {
    for (const statement of fresh) await transaction.executeQuery(CompiledQuery.raw(statement));
    for (const name of names) await transaction.executeQuery(CompiledQuery.raw(migrated, [name]));
    await transaction.executeQuery(CompiledQuery.raw(unlocked));
  });
}
