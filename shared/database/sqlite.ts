import { resolve } from 'node:path';
import { type Driver, Kysely, SqliteAdapter, SqliteDialect } from 'kysely';
import { startRealStopwatch } from '../clock.ts';
import { checkDatabaseFileHoldsData } from './data-missing.ts';
import { exitWithReason } from './end-process.ts';
import { type DatabaseEngine, UnknownCommitOutcomeError } from './engine.ts';
import { BatchThreadPolicy } from './lone-batch-policy.ts';
import { checkSameFile, readInodeNumber } from './same-file.ts';
import { mayBeCommitted, SqliteBatchRunner } from './sqlite-batches.ts';
import { connectSqlite, createPrivateFile, lockSqlite, type SynchronousMode } from './sqlite-connection.ts';
import { SqliteThread } from './sqlite-thread.ts';
import { runInTransaction } from './transaction.ts';
import type { BatchThreadSettings } from './write-placement.ts';

/**
 * SQLite can undo changes of the schema, but Kysely assumes the opposite. This class corrects Kysely. So all migrations
 * are made in one commit, completely or not at all.
 */
class TransactionalAdapter extends SqliteAdapter {
  override get supportsTransactionalDdl(): boolean {
    return true;
  }
}

/**
 * Rolls back only if a transaction is open. On a full disk, SQLite ends the transaction by itself, and a further
 * rollback would fail and hide the reason.
 */
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

interface SqliteOptions extends BatchThreadSettings {
  /** The contents with which a database in memory starts. By default the database is empty. */
  image?: Buffer;
  /** Whether other processes are kept out of the file. */
  exclusive?: boolean;
  /** Whether the file held data at an earlier start. If so, the database is refused if it is empty now. */
  mustHold?: boolean;
  /** Whether committed data survive a power cut. The default is FULL. */
  synchronous?: SynchronousMode;
  /** Called if the thread that writes dies. It is unknown then whether the last writes of that thread are on disk. */
  giveUp?: (why: string) => void;
}

/**
 * Opens an SQLite file or `:memory:`. Reads and units of work run on this thread. Batches of a database in memory run
 * on this thread too. The first batches of a file run on this thread; later, a separate thread writes them, so that
 * this thread does not wait for the disk (docs/decisions/0015). Even then, this thread writes a batch itself if
 * {@link BatchThreadPolicy} decides so.
 *
 * @throws an error with the code SQLITE_BUSY if another process has the file; DataMissingError
 */
export async function openSqlite<Schema>(
  where: string,
  options: SqliteOptions = {},
): Promise<DatabaseEngine<Schema>> {
  const {
    exclusive = false,
    synchronous = 'FULL',
    threadAfter = 50,
    quickMs = 1,
    giveUp = exitWithReason,
  } = options;
  const onDisk = where !== ':memory:';
  const file = onDisk ? resolve(where) : where; // a relative path would change its meaning with the working directory
  const unlock = onDisk && exclusive ? lockSqlite(file) : () => {};
  const connection = connectOr(unlock, () => {
    if (options.mustHold) checkDatabaseFileHoldsData(file);
    if (onDisk) createPrivateFile(file);
    return connectSqlite((!onDisk && options.image) || file, synchronous);
  });
  const place = onDisk ? readInodeNumber(file) : undefined;
  const committed = () => onDisk && checkSameFile(file, place);
  const db = new Kysely<Schema>({ dialect: new TransactionalDialect(connection) });
  const ownBatches = new SqliteBatchRunner(connection, committed);
  const thread = onDisk ? new SqliteThread({ file, place, synchronous }, giveUp) : undefined;
  if (threadAfter === 0) await thread?.start();
  const policy = new BatchThreadPolicy(quickMs);
  let written = 0;

  return {
    db,
    image: onDisk ? undefined : () => connection.image(),
    async apply(batches) {
      if (!thread?.ready) {
        written += batches.length;
        if (written > threadAfter) void thread?.start();
        return ownBatches.apply(batches);
      }
      const isLone = batches.length === 1 && thread.idle;
      if (!isLone) policy.interrupted();
      else if (policy.mayBeWrittenHere) return timed(policy, () => ownBatches.apply(batches));
      const endings = await thread.apply(batches);
      if (isLone) policy.written(thread.tookMs);
      return endings;
    },
    async transaction(work) {
      const result = await runInTransaction(db, work, (error) => {
        throw mayBeCommitted(error) ? new UnknownCommitOutcomeError(error) : error;
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

function timed<Result>(policy: BatchThreadPolicy, write: () => Result): Result {
  const tookMs = startRealStopwatch();
  const result = write();
  policy.written(tookMs());
  return result;
}

/** Calls `connect`. If that fails, calls `undo`. */
function connectOr<Connection>(undo: () => void, connect: () => Connection): Connection {
  try {
    return connect();
  } catch (error) {
    undo();
    throw error;
  }
}
