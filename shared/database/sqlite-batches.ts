import type { SqlStep } from './change.ts';
import { type BatchEnding, UnknownCommitOutcomeError } from './engine.ts';
import { isStorageFault } from './storage-fault.ts';
import { isStaleRowVersionError, StaleRowVersionError } from './version-moved.ts';

type Batch = readonly SqlStep[];

/** The functions of a connection that this class uses. */
interface Connection {
  readonly inTransaction: boolean;
  prepare(sql: string): {
    run(...values: unknown[]): { changes: number };
    all(...values: unknown[]): unknown[];
  };
}

const applied: BatchEnding = { is: 'applied' };

/** Applies batches of changes to an SQLite connection. The connection must have no open transaction. */
export class SqliteBatchRunner {
  #connection: Connection;
  #committed: () => void;

  /**
   * `committed` is called after each commit. If the commit went to a file that is gone, `committed` throws {@link
   * UnknownOutcomeError}.
   */
  constructor(connection: Connection, committed: () => void = () => {}) {
    this.#connection = connection;
    this.#committed = committed;
  }

  /**
   * Applies batches in one transaction without savepoints. If a batch fails, tries all batches again with a savepoint
   * for each batch, to find the batches that have to be refused. If the second transaction fails too, for example on a
   * full disk, applies each batch in its own transaction.
   * @throws UnknownCommitOutcomeError
   */
  apply(batches: readonly Batch[]): BatchEnding[] {
    if (batches.length === 1) return batches.map((batch) => this.#alone(batch));
    for (const attempt of [this.#together, this.#withSavepoints])
      try {
        return this.#transaction(() => attempt.call(this, batches));
      } catch (error) {
        if (error instanceof UnknownCommitOutcomeError) throw error;
      }
    return batches.map((batch) => this.#alone(batch));
  }

  #together(batches: readonly Batch[]): BatchEnding[] {
    for (const batch of batches) this.#run(batch);
    return batches.map(() => applied);
  }

  #withSavepoints(batches: readonly Batch[]): BatchEnding[] {
    return batches.map((batch) => {
      this.#connection.prepare('savepoint batch').run();
      try {
        this.#run(batch);
        return applied;
      } catch (error) {
        if (!this.#connection.inTransaction) throw error;
        this.#connection.prepare('rollback to savepoint batch').run();
        return refusal(error);
      } finally {
        if (this.#connection.inTransaction) this.#connection.prepare('release savepoint batch').run();
      }
    });
  }

  #alone(batch: Batch): BatchEnding {
    try {
      return this.#transaction(() => {
        this.#run(batch);
        return applied;
      });
    } catch (error) {
      if (error instanceof UnknownCommitOutcomeError) throw error;
      return refusal(error);
    }
  }

  #run(batch: Batch): void {
    for (const { statement, values } of batch) {
      const { one, sql } = statement;
      const prepared = this.#connection.prepare(sql);
      const rows =
        statement.does === 'hold' ? prepared.all(...values).length : prepared.run(...values).changes;
      if (one && rows !== 1)
        throw new StaleRowVersionError(`exactly one row was expected, not ${rows}, for ${sql}`);
    }
  }

  #transaction<Result>(work: () => Result): Result {
    this.#connection.prepare('begin').run();
    try {
      const result = work();
      this.#commit();
      return result;
    } catch (error) {
      if (this.#connection.inTransaction && !(error instanceof UnknownCommitOutcomeError))
        this.#connection.prepare('rollback').run();
      throw error;
    }
  }

  #commit(): void {
    try {
      this.#connection.prepare('commit').run();
    } catch (error) {
      throw mayBeCommitted(error) ? new UnknownCommitOutcomeError(error) : error;
    }
    this.#committed();
  }
}

/**
 * Whether a commit may be on disk although it failed with this error. If the disk is full or locked, the commit is
 * certainly not on disk, because that error is reported before anything is written.
 */
export function mayBeCommitted(error: unknown): boolean {
  return error instanceof Error && 'code' in error && /^SQLITE_(IOERR|CORRUPT)/.test(String(error.code));
}

function refusal(error: unknown): BatchEnding {
  if (!(error instanceof Error)) throw error;
  if (isStaleRowVersionError(error)) return { is: 'refused', because: 'version', error };
  if ('code' in error && String(error.code).startsWith('SQLITE_CONSTRAINT'))
    return { is: 'refused', because: 'constraint', error };
  if (isStorageFault(error)) return { is: 'refused', because: 'storage', error };
  return { is: 'broken', error };
}
