import { closeSync, openSync } from 'node:fs';
import SQLite from 'better-sqlite3';
import { statRegularFile } from '../regular-file.ts';

type Statement = SQLite.Statement<unknown[]>;

/** A connection to an open file or to `:memory:`. Each statement is prepared only once. */
interface SqliteConnection {
  readonly inTransaction: boolean;
  prepare(sql: string): Statement;
  /** Gives the contents of the database, as a file would contain them. */
  image(): Buffer;
  close(): void;
}

/** With FULL, committed data survives a power cut of the machine. With NORMAL, it survives the death of the process. */
export type SynchronousMode = 'FULL' | 'NORMAL';

/**
 * Opens an SQLite file in WAL mode. If it is given an image instead of a path, opens a copy of the image in memory.
 * Only this module imports the driver.
 */
export function connectSqlite(file: string | Buffer, synchronous: SynchronousMode): SqliteConnection {
  const database = new SQLite(file, { timeout: 5000 });
  try {
    database.pragma('journal_mode = WAL');
    database.pragma(`synchronous = ${synchronous}`);
    database.pragma('foreign_keys = ON');
  } catch (error) {
    database.close();
    throw error;
  }
  const statements = new Map<string, Statement>();
  return {
    get inTransaction() {
      return database.inTransaction;
    },
    prepare(sql) {
      let statement = statements.get(sql);
      if (!statement) {
        statement = database.prepare(sql);
        if (statements.size < 500) statements.set(sql, statement);
      }
      return statement;
    },
    image: () => database.serialize(),
    close: () => void database.close(),
  };
}

/**
 * Makes a file that only its owner can read. If SQLite made the file, all users could read it. SQLite makes further
 * files beside this file (-wal, -shm), and gives them the permissions of this file (B124).
 */
export function createPrivateFile(file: string): void {
  statRegularFile(file);
  closeSync(openSync(file, 'a', 0o600));
}

/**
 * Keeps other processes out of `file` with a lock of the operating system, until this process ends in any way. The lock
 * is on an empty file beside `file`, because an SQLite lock on `file` itself would also keep out other threads of this
 * process. Older releases of pinpad lock `file` itself. Their lock fails while this process has `file` open.
 *
 * @throws an error with the code SQLITE_BUSY if another process still has the lock after `waitMs`
 */
export function lockSqlite(file: string, waitMs = 1000): () => void {
  const beside = `${file}-lock`;
  // The file for the lock is made only if it is missing. If this process opened and closed an existing file, it would
  // lose every lock that it has on the file.
  if (!statRegularFile(beside)) createPrivateFile(beside);
  const lock = new SQLite(beside, { timeout: waitMs });
  try {
    lock.exec('begin exclusive');
  } catch (error) {
    lock.close();
    throw error;
  }
  return () => void lock.close();
}
