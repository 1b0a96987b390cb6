import { CompiledQuery, type Kysely } from 'kysely';
import type { Migration } from 'kysely/migration';
import { type InFlight, uncounted } from '../in-flight.ts';
import { migrate } from './migrate.ts';
import { openSqlite } from './sqlite.ts';
import type { Undo, UnitOfWork } from './unit-of-work.ts';

/** Reads committed state. It awaits nothing but the database. */
type Reading<Schema, Result> = (db: Kysely<Schema>) => Promise<Result>;

/**
 * A piece of work inside a transaction. It awaits nothing but the database, and registers with it how to undo what it
 * changes in memory.
 */
type Work<Schema, Result> = (unit: UnitOfWork<Schema>) => Promise<Result>;

const statement = {
  begin: CompiledQuery.raw('begin'),
  commit: CompiledQuery.raw('commit'),
  rollback: CompiledQuery.raw('rollback'),
  savepoint: CompiledQuery.raw('savepoint unit'),
  release: CompiledQuery.raw('release savepoint unit'),
  rollbackTo: CompiledQuery.raw('rollback to savepoint unit'),
};

interface Unit<Schema> {
  work: Work<Schema, unknown>;
  resolve(value: unknown): void;
  reject(error: unknown): void;
  done(): void;
}

/**
 * Asynchronous access to one database file. Writes of one turn of the event loop go in one commit, and each
 * resolves only when that commit is on disk; a unit of work that throws is undone alone. Where the commit fails, all of
 * them are undone. What a unit changed in memory is undone with it, before anybody is reported.
 *
 * Portable on purpose: SQL is built by Kysely and nothing outside this folder knows which database it is.
 */
export class Database<Schema> {
  #db: Kysely<Schema>;
  #inFlight: InFlight;
  #queue: Unit<Schema>[] = [];
  #draining: Promise<void> | undefined;

  constructor(db: Kysely<Schema>, inFlight: InFlight = uncounted) {
    this.#db = db;
    this.#inFlight = inFlight;
  }

  /**
   * Opens `file` (`:memory:` for none), for this process alone where `exclusive`, and brings its schema up to date.
   * `survives` says what cannot lose a write that resolved: the machine's power cut, or only the process being killed.
   */
  static async open<Schema>(options: {
    file: string;
    migrations: Record<string, Migration>;
    inFlight?: InFlight;
    exclusive?: boolean;
    survives?: 'powerCut' | 'kill';
  }): Promise<Database<Schema>> {
    const db = openSqlite<Schema>(options.file, {
      exclusive: options.exclusive ?? false,
      synchronous: options.survives === 'kill' ? 'NORMAL' : 'FULL',
    });
    try {
      await migrate(db, options.migrations);
    } catch (error) {
      await db.destroy();
      throw error;
    }
    return new Database(db, options.inFlight);
  }

  /** Reads committed state. */
  async read<Result>(work: Reading<Schema, Result>): Promise<Result> {
    const done = this.#inFlight.begin();
    try {
      return await this.#db.connection().execute(work);
    } finally {
      done();
    }
  }

  /** Runs `work` in a transaction and resolves with its result once that is on disk. */
  write<Result>(work: Work<Schema, Result>): Promise<Result> {
    return new Promise<Result>((resolve, reject) => {
      this.#queue.push({
        work,
        resolve: resolve as (value: unknown) => void,
        reject,
        done: this.#inFlight.begin(),
      });
      this.#draining ??= new Promise((drained) => setImmediate(drained)).then(() => this.#drain());
    });
  }

  /** Finishes the writes that were asked for, then closes the file. */
  async close(): Promise<void> {
    await this.#draining;
    await this.#db.destroy();
  }

  async #drain(): Promise<void> {
    while (this.#queue.length > 0) await this.#commit(this.#queue.splice(0));
    this.#draining = undefined;
  }

  async #commit(units: Unit<Schema>[]): Promise<void> {
    const settle: (() => void)[] = [];
    const undos: Undo[] = [];
    try {
      await this.#db.connection().execute(async (connection) => {
        const unitOfWork = Object.assign(connection, { onRollback: (undo: Undo) => void undos.push(undo) });
        await connection.executeQuery(statement.begin);
        try {
          const [only] = units;
          if (only && units.length === 1) settle.push(await this.#runAlone(only, unitOfWork));
          else for (const unit of units) settle.push(await this.#run(unit, unitOfWork, undos));
          await connection.executeQuery(statement.commit);
        } catch (error) {
          await connection.executeQuery(statement.rollback).catch(() => {});
          throw error;
        }
      });
      for (const notify of settle) notify();
    } catch (error) {
      undoAfter(0, undos);
      for (const unit of units) unit.reject(error);
    }
    for (const unit of units) unit.done();
  }

  /** Returns how to settle the unit's owner after the commit. */
  async #run(unit: Unit<Schema>, connection: UnitOfWork<Schema>, undos: Undo[]): Promise<() => void> {
    const before = undos.length;
    await connection.executeQuery(statement.savepoint);
    try {
      const value = await unit.work(connection);
      await connection.executeQuery(statement.release);
      return () => unit.resolve(value);
    } catch (error) {
      try {
        await connection.executeQuery(statement.rollbackTo);
        await connection.executeQuery(statement.release);
      } catch {
        throw error; // a full disk ends the whole transaction by itself: that is what everybody is reported
      }
      undoAfter(before, undos);
      return () => unit.reject(error);
    }
  }

  /** The same for a unit that shares its transaction with no other: undoing it undoes the whole. */
  async #runAlone(unit: Unit<Schema>, connection: UnitOfWork<Schema>): Promise<() => void> {
    const value = await unit.work(connection);
    return () => unit.resolve(value);
  }
}

/** Undoes what was registered after the first `kept`, the latest first. */
function undoAfter(kept: number, undos: Undo[]): void {
  for (const undo of undos.splice(kept).reverse()) undo();
}
