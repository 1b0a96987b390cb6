import { CompiledQuery, type Kysely } from 'kysely';
import type { Migration } from 'kysely/migration';
import { type InFlightTracker, noInFlightTracking } from '../in-flight.ts';
import { ChangeCompiler, type CommitResult, type DatabaseChange } from './change.ts';
import { exitWithReason } from './end-process.ts';
import { type BatchEnding, type DatabaseEngine, UnknownCommitOutcomeError } from './engine.ts';
import { migrate } from './migrate.ts';
import { type DatabasePlace, keepImage, openDatabaseEngine } from './open-engine.ts';
import {
  finishUnit,
  isBatch,
  isUnit,
  neverSettlingPromise,
  type PendingBatch,
  type PendingCall,
  type PendingUnit,
  shiftWhile,
  type TransactionWork,
} from './pending-calls.ts';

/** A piece of work that reads committed data. It waits only for the database. */
type Reading<Schema, Result> = (db: Kysely<Schema>) => Promise<Result>;

const statement = {
  savepoint: CompiledQuery.raw('savepoint unit'),
  release: CompiledQuery.raw('release savepoint unit'),
  rollbackTo: CompiledQuery.raw('rollback to savepoint unit'),
};

/** When a read ends, `worked` or `failed` is called. When a write ends, `stored` or `notStored` is called. */
export interface DatabaseHealthListener {
  worked?(): void;
  failed?(error: unknown): void;
  stored?(): void;
  notStored?(error: unknown): void;
}

interface Setup {
  migrations: Record<string, Migration>;
  fresh?: readonly string[];
  inFlight?: InFlightTracker;
  giveUp?: (why: string) => void;
  watcher?: DatabaseHealthListener;
}

type Around = Required<Pick<Setup, 'inFlight' | 'giveUp'>> & Pick<Setup, 'watcher'>;

/**
 * If one turn of the event loop asks for this many writes, the database starts these writes before the turn ends. So
 * the data is being written while this thread computes the rest of the turn, and the thread waits less at the end of
 * the turn.
 */
const earlyAt = 32;

/** The maximum number of times that a unit of work is repeated after a conflict with another process. */
const mostRepeats = 3;

/**
 * Asynchronous access to one database. A change is either a batch of values ({@link commit}) or work in a transaction
 * ({@link write}). The database makes changes in the order of the calls. All changes of a turn of the event loop share
 * a few commits. Each call resolves only when its change is on disk. If one change fails, only that change is undone.
 * Kysely builds the SQL, so most callers need not know whether the database is SQLite or PostgreSQL. SQL that only
 * PostgreSQL understands is used only in code for several gateways with one database.
 */
export class Database<Schema> {
  #engine: DatabaseEngine<Schema>;
  #compiler: ChangeCompiler<Schema>;
  #inFlight: InFlightTracker;
  #giveUp: (why: string) => void;
  #watcher: DatabaseHealthListener | undefined;
  /** False only if the database began empty in memory and nothing has been stored since then. */
  #used: boolean;
  #queue: (PendingUnit<Schema> | PendingBatch)[] = [];
  #draining: Promise<void> | undefined;
  /** Passes the waiting writes on at once, without waiting for the end of the turn of the event loop. */
  #drainNow = () => {};
  /** Resolves when the latest batches that were passed on have ended. Earlier batches end before them. */
  #applying: Promise<void> | undefined;
  #abandoned = false;

  private constructor(engine: DatabaseEngine<Schema>, { inFlight, giveUp, watcher }: Around) {
    this.#engine = engine;
    this.#used = engine.image === undefined;
    this.#watcher = watcher;
    this.#compiler = new ChangeCompiler(engine.db);
    this.#inFlight = inFlight;
    this.#giveUp = giveUp;
  }

  /**
   * Opens a database and brings its schema up to date. `fresh` has the statements that make a new SQLite database, from
   * `npm run generate`. `giveUp` is called if it is unknown whether a commit is on disk; by default the process ends.
   */
  static async open<Schema>(options: DatabasePlace & Setup): Promise<Database<Schema>> {
    const {
      migrations,
      fresh,
      inFlight = noInFlightTracking,
      giveUp = exitWithReason,
      watcher,
      ...place
    } = options;
    const engine = await openDatabaseEngine<Schema>(place, fresh, giveUp);
    try {
      await migrate(engine.db, migrations, {
        fresh: 'file' in place ? fresh : undefined,
        mustHold: 'file' in place && place.mustHold,
        foreign: engine.foreign,
      });
      keepImage(fresh, engine);
    } catch (error) {
      await engine.close();
      throw error;
    }
    return new Database(engine, { inFlight, giveUp, watcher });
  }

  /** Whether the database began empty in memory and nothing was stored since. If so, no look-up can find anything. */
  get isNew(): boolean {
    return !this.#used;
  }

  /** Whether other processes may change the database too. If so, data that this process has read may be out of date. */
  get isShared(): boolean {
    return this.#engine.isShared ?? false;
  }

  /** Reads committed data. */
  async read<Result>(work: Reading<Schema, Result>): Promise<Result> {
    if (this.#abandoned) return neverSettlingPromise();
    const done = this.#inFlight.begin();
    try {
      const result = await this.#engine.db.connection().execute(work);
      if (this.#abandoned) return await neverSettlingPromise();
      this.#watcher?.worked?.();
      return result;
    } catch (error) {
      if (this.#abandoned) return await neverSettlingPromise();
      this.#watcher?.failed?.(error);
      throw error;
    } finally {
      done();
    }
  }

  /**
   * Runs statements at once. Unlike {@link write}, does not wait for earlier writes. Each statement is a transaction of
   * its own. Use this for statements that may run twice: if the connection breaks off, it is unknown whether the
   * statements ran.
   */
  beside<Result>(work: TransactionWork<Schema, Result>): Promise<Result> {
    this.#used = true;
    return this.read(work);
  }

  /**
   * Applies the whole `batch` or nothing. Resolves when it is certain how the batch ended: the batch is on disk, or it
   * will never get there.
   */
  commit(batch: readonly DatabaseChange<Schema>[]): Promise<CommitResult> {
    return this.#enqueue(() => ({ steps: this.#compiler.steps(batch) }));
  }

  /**
   * Runs `work` in a transaction, and repeats `work` if the transaction conflicts with another process. Resolves when
   * its changes are on disk.
   */
  write<Result>(work: TransactionWork<Schema, Result>): Promise<Result> {
    return this.#enqueue(() => ({ work, tries: 0 }));
  }

  #enqueue<Result>(
    entry: () => Omit<PendingUnit<Schema>, keyof PendingCall> | Omit<PendingBatch, keyof PendingCall>,
  ): Promise<Result> {
    if (this.#abandoned) return neverSettlingPromise();
    this.#used = true;
    return new Promise<Result>((resolve, reject) => {
      const entered = entry();
      const asked: PendingCall = {
        resolve: resolve as (value: unknown) => void,
        reject,
        done: this.#inFlight.begin(),
      };
      this.#queue.push({ ...entered, ...asked });
      this.#draining ??= this.#turnEnds().then(() => this.#drain());
      if (this.#queue.length === earlyAt) this.#drainNow();
    });
  }

  /**
   * Throws if the outcome of an earlier commit is unknown, because new work would have to wait for that outcome.
   *
   * @throws the error that explains why no server can say what the outcome is
   */
  mustAnswer(): void {
    const lost = this.#engine.lost?.();
    if (lost) throw lost;
  }

  /** Finishes the requested writes, then closes the database. */
  async close(): Promise<void> {
    this.#engine.closing?.();
    await this.#draining;
    await this.#applying;
    await this.#engine.close();
  }

  /**
   * Stops the use of a database file at once, as if the process had been killed. Changes that have not been passed to
   * the engine yet are never written. Calls that have not ended never settle. Resolves when the file can be opened
   * again.
   */
  async abandon(): Promise<void> {
    this.#abandoned = true;
    this.#queue = [];
    await this.#engine.abandon?.();
  }

  #turnEnds(): Promise<void> {
    return new Promise((resolve) => {
      this.#drainNow = resolve;
      setImmediate(resolve);
    });
  }

  /** Passes all waiting batches on together. A unit of work runs only after the batches that precede it have ended. */
  async #drain(): Promise<void> {
    try {
      while (this.#queue.length > 0) {
        const batches = shiftWhile(this.#queue, isBatch);
        if (batches.length > 0) this.#applying = this.#apply(batches);
        const units = shiftWhile(this.#queue, isUnit);
        if (units.length === 0) continue;
        await this.#applying;
        await this.#commit(units);
      }
    } catch (error) {
      this.#failed(error);
    }
    this.#draining = undefined;
  }

  async #apply(batches: PendingBatch[]): Promise<void> {
    try {
      const endings = await this.#engine.apply(batches.map(({ steps }) => steps));
      for (const [index, batch] of batches.entries()) this.#settle(batch, endings[index] as BatchEnding);
    } catch (error) {
      this.#failed(error);
    }
  }

  #settle(batch: PendingBatch, ending: BatchEnding): void {
    if (this.#abandoned) return;
    if (ending.is === 'applied') this.#watcher?.stored?.();
    else this.#watcher?.notStored?.(ending.error);
    if (ending.is === 'broken') batch.reject(ending.error);
    else batch.resolve(ending);
    batch.done();
  }

  #failed(error: unknown): void {
    if (this.#abandoned) return;
    if (!(error instanceof UnknownCommitOutcomeError)) throw error;
    this.#giveUp(`it is unknown whether a commit reached the disk: ${error.message}`);
  }

  async #commit(units: PendingUnit<Schema>[]): Promise<void> {
    const settle: (() => void)[] = [];
    try {
      await this.#engine.transaction(async (connection) => {
        const [only] = units;
        if (only && units.length === 1) settle.push(await this.#runAlone(only, connection));
        else for (const unit of units) settle.push(await this.#run(unit, connection));
      });
      if (this.#abandoned) return;
      for (const notify of settle) notify();
      this.#watcher?.stored?.();
    } catch (error) {
      if (error instanceof UnknownCommitOutcomeError) throw error;
      for (const unit of units) this.#undone(unit, error);
    }
  }

  /**
   * Repeats a unit of work if it was undone because of a conflict with another process. Otherwise lets the unit fail.
   */
  #undone(unit: PendingUnit<Schema>, error: unknown): void {
    if (this.#abandoned) return;
    if (unit.tries++ < mostRepeats && this.#engine.overtaken?.(error)) this.#queue.push(unit);
    else {
      this.#watcher?.notStored?.(error);
      finishUnit(unit, () => unit.reject(error));
    }
  }

  /** Runs a unit in a savepoint. The returned function reports how the unit ended; call it after the commit. */
  async #run(unit: PendingUnit<Schema>, connection: Kysely<Schema>): Promise<() => void> {
    await connection.executeQuery(statement.savepoint);
    try {
      const value = await unit.work(connection);
      await connection.executeQuery(statement.release);
      return () => finishUnit(unit, () => unit.resolve(value));
    } catch (error) {
      try {
        await connection.executeQuery(statement.rollbackTo);
        await connection.executeQuery(statement.release);
      } catch {
        throw error; // on a full disk SQLite has ended the whole transaction, so all of its units fail with this error
      }
      return () => this.#undone(unit, error);
    }
  }

  /** Runs a unit that has a transaction for itself. To undo the unit, the whole transaction is undone. */
  async #runAlone(unit: PendingUnit<Schema>, connection: Kysely<Schema>): Promise<() => void> {
    const value = await unit.work(connection);
    return () => finishUnit(unit, () => unit.resolve(value));
  }
}
