import { closeSync, openSync } from 'node:fs';
import SQLite from 'better-sqlite3';
import { type Kysely, Kysely as KyselyDatabase, SqliteAdapter, SqliteDialect } from 'kysely';

type Statement = SQLite.Statement<unknown[]>;

/** SQLite undoes DDL like everything else, so a migration is one commit: all of it or nothing. Kysely's default is no. */
class TransactionalAdapter extends SqliteAdapter {
  override get supportsTransactionalDdl(): boolean {
    return true;
  }
}

class TransactionalDialect extends SqliteDialect {
  override createAdapter(): SqliteAdapter {
    return new TransactionalAdapter();
  }
}

/**
 * Opens an SQLite file (or `:memory:`) as a Kysely database; the only importer of the driver.
 *
 * WAL with synchronous FULL: what is committed survives a power cut of the machine; with NORMAL it survives the death
 * of the process (docs/discoveries/performance.md). Statements are prepared once each, which Kysely's dialect does not
 * do. `exclusive` keeps every other process out for as long as this one lives, however it dies: the lock is the
 * operating system's.
 *
 * @throws an error of code SQLITE_BUSY where another process has it
 */
export function openSqlite<Schema>(
  file: string,
  { exclusive = false, synchronous = 'FULL' }: { exclusive?: boolean; synchronous?: 'FULL' | 'NORMAL' } = {},
): Kysely<Schema> {
  if (file !== ':memory:') makePrivate(file);
  const database = new SQLite(file, { timeout: exclusive ? 1000 : 5000 });
  if (exclusive) database.pragma('locking_mode = EXCLUSIVE');
  database.pragma('journal_mode = WAL');
  database.pragma(`synchronous = ${synchronous}`);
  database.pragma('foreign_keys = ON');
  const statements = new Map<string, Statement>();
  const prepare = (sql: string): Statement => {
    let statement = statements.get(sql);
    if (!statement) {
      statement = database.prepare(sql);
      if (statements.size < 500) statements.set(sql, statement);
    }
    return statement;
  };
  return new KyselyDatabase<Schema>({
    dialect: new TransactionalDialect({ database: { prepare, close: () => database.close() } as never }),
  });
}

/** SQLite makes a file that everybody can read; what it puts beside one (-wal, -shm) gets that one's mode (B124). */
function makePrivate(file: string): void {
  closeSync(openSync(file, 'a', 0o600));
}
