import { resolve } from 'node:path';
import { type Driver, Kysely, SqliteAdapter, SqliteDialect } from 'kysely';
import { endProcess } from './end-process.ts';
import { type DatabaseEngine, UnknownOutcome } from './engine.ts';
import { fileAt, stillAt } from './in-place.ts';
import { mustHoldData } from './nothing-held.ts';
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

/** SQLite ends a transaction by itself where the disk is full: a rollback would hide why. */
class TransactionalDialect extends SqliteDialect {
  readonly #connection: ReturnType<typeof connectSqlite>;

  constructor(connection: ReturnType<typeof connectSqlite>) {
    super({ database: connection as never });
    this.#connection = connection;
  }

  override createDriver(): Driver {
    const driver = super.createDriver();
    const rollback = driver.rollbackTransaction.bind(driver);
    driver.rollbackTransaction = async (transaction) => {
      if (this.#connection.inTransaction) await rollback(transaction);
    };
    return driver;
  }

  override createAdapter(): SqliteAdapter {
    return new TransactionalAdapter();
  }
}

interface SqliteOptions {
  /** What `:memory:` begins as; empty when absent. */
  image?: Buffer;
  /** Keeps every other process out. */
  exclusive?: boolean;
  /** It held data before: a new one in its place is refused. */
  mustHold?: boolean;
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
 * @throws an error of code SQLITE_BUSY where another process has it; NothingHeld
 */
export async function openSqlite<Schema>(
  where: string,
  options: SqliteOptions = {},
): Promise<DatabaseEngine<Schema>> {
  const { exclusive = false, synchronous = 'FULL', threadAfter = 50, giveUp = endProcess } = options;
  const onDisk = where !== ':memory:';
  const file = onDisk ? resolve(where) : where; // whoever has it open may go to another folder
  const unlock = onDisk && exclusive ? lockSqlite(file) : () => {};
  const connection = connectedOr(unlock, () => {
    if (options.mustHold) mustHoldData(file);
    if (onDisk) makePrivate(file);
    return connectSqlite((!onDisk && options.image) || file, synchronous);
  });
  const place = onDisk ? fileAt(file) : undefined;
  const committed = () => onDisk && stillAt(file, place);
  const db = new Kysely<Schema>({ dialect: new TransactionalDialect(connection) });
  const here = new SqliteBatches(connection, committed);
  const thread = onDisk ? new SqliteThread({ file, place, synchronous }, giveUp) : undefined;
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
    async transaction(work) {
      const result = await inTransaction(db, work, (error) => {
        throw leavesOpen(error) ? new UnknownOutcome(error) : error;
      });
      committed();
      return result;
    },
    ...(onDisk && {
      async abandon() {
        connection.close();
        await thread?.abandon();
        unlock();
      },
    }),
    async close() {
      await thread?.close();
      await db.destroy();
      unlock();
    },
  };
}

/** A file that cannot be opened is not kept from others. */
function connectedOr<Connection>(undo: () => void, connect: () => Connection): Connection {
  try {
    return connect();
  } catch (error) {
    undo();
    throw error;
  }
}
