import { Kysely, SqliteAdapter, SqliteDialect } from 'kysely';
import { endProcess } from './end-process.ts';
import { type Engine, UnknownOutcome } from './engine.ts';
import { leavesOpen, SqliteBatches } from './sqlite-batches.ts';
import { connectSqlite, lockSqlite, makePrivate, type Synchronous } from './sqlite-connection.ts';
import { SqliteThread } from './sqlite-thread.ts';
import { inTransaction } from './transaction.ts';

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

interface SqliteOptions {
  /** What `:memory:` begins as; empty when absent. */
  image?: Buffer;
  /** Keeps every other process out. */
  exclusive?: boolean;
  /** FULL when absent. */
  synchronous?: Synchronous;
  /** After so many batches a thread of its own takes them over, whose start costs more than they; 50 when absent. */
  threadAfter?: number;
  /** Called when the thread dies: whether what it was writing is on disk is then unknown. */
  giveUp?: (why: string) => void;
}

/**
 * Opens an SQLite file or `:memory:`. Reads and units of work are done on this thread, and so are batches for what is in
 * memory, and a file's first ones; then another thread writes the batches, so that this one never waits for the disk
 * (docs/decisions/0015).
 *
 * @throws an error of code SQLITE_BUSY where another process has it
 */
export async function openSqlite<Schema>(file: string, options: SqliteOptions = {}): Promise<Engine<Schema>> {
  const { exclusive = false, synchronous = 'FULL', threadAfter = 50, giveUp = endProcess } = options;
  const onDisk = file !== ':memory:';
  const unlock = onDisk && exclusive ? lockSqlite(file) : () => {};
  if (onDisk) makePrivate(file);
  const connection = connectSqlite((!onDisk && options.image) || file, synchronous);
  const db = new Kysely<Schema>({ dialect: new TransactionalDialect({ database: connection as never }) });
  const here = new SqliteBatches(connection);
  const thread = onDisk ? new SqliteThread({ file, synchronous }, giveUp) : undefined;
  if (threadAfter === 0) await thread?.start();
  let written = 0;
  return {
    db,
    image: onDisk ? undefined : () => connection.image(),
    async apply(batches) {
      if (thread?.ready) return thread.apply(batches);
      written += batches.length;
      if (written > threadAfter) void thread?.start();
      return here.apply(batches);
    },
    transaction: (work) =>
      inTransaction(db, work, (error) => {
        throw leavesOpen(error) ? new UnknownOutcome(error) : error;
      }),
    async close() {
      await thread?.close();
      await db.destroy();
      unlock();
    },
  };
}
