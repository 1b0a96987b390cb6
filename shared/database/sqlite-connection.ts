import { closeSync, openSync } from 'node:fs';
import SQLite from 'better-sqlite3';
import { regularFile } from '../regular-file.ts';

type Statement = SQLite.Statement<unknown[]>;

/** An open file (or `:memory:`) whose statements are prepared once each. */
interface SqliteConnection {
  readonly inTransaction: boolean;
  prepare(sql: string): Statement;
  /** The whole database as it would be in a file. */
  image(): Buffer;
  close(): void;
}

/** FULL: what is committed survives a power cut of the machine. NORMAL: it survives the death of the process. */
export type Synchronous = 'FULL' | 'NORMAL';

/** Opens an SQLite file in WAL mode, or a copy of an image in memory; the only importer of the driver. */
export function connectSqlite(file: string | Buffer, synchronous: Synchronous): SqliteConnection {
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

/** SQLite makes a file that everybody can read; what it puts beside one (-wal, -shm) gets that one's mode (B124). */
export function makePrivate(file: string): void {
  regularFile(file);
  closeSync(openSync(file, 'a', 0o600));
}

/**
 * Keeps every other process out of `file` for as long as this one lives, however it dies: the lock is the operating
 * system's. It is on a file beside it, empty, because SQLite's own would keep this process's other threads out too. A
 * release before this one, which locks the file itself, cannot do so while this process has it open.
 *
 * @throws an error of code SQLITE_BUSY where another process has it, after `waitMs`
 */
export function lockSqlite(file: string, waitMs = 1000): () => void {
  const beside = `${file}-lock`;
  // Only where there is none: to close a file ends every lock that this process has on it.
  if (!regularFile(beside)) makePrivate(beside);
  const lock = new SQLite(beside, { timeout: waitMs });
  try {
    lock.exec('begin exclusive');
  } catch (error) {
    lock.close();
    throw error;
  }
  return () => void lock.close();
}
