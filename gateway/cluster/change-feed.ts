import { isStorageFault } from '../../shared/database/storage-fault.ts';
import { Rounds } from '../../shared/rounds.ts';
import type { Runtime } from '../../shared/runtime.ts';
import type { Copies, Kept, KeptTable } from '../engine/copies.ts';
import type { Schema } from '../store/schema.ts';
import type { Store } from '../store/store.ts';
import {
  allKeys,
  changesSince,
  dropOldChanges,
  type Position,
  positionNow,
  rowsByKey,
} from './change-reader.ts';

interface FeedParts {
  runtime: Runtime;
  store: Store;
  everyMs: number;
  others?: {
    /** Tells the other gateways that there is something to read. */
    tell(): void;
    /** Resolves when the gateways that can be reached have read the changes. */
    caughtUp(): Promise<void>;
  };
}

const tidyEveryMs = 10 * 60_000;

/**
 * Updates what this gateway keeps in memory with the changes that other gateways made in the database: at intervals,
 * and whenever {@link current} is called. It covers changes from the moment when it is opened, so open it before
 * anything is read into memory.
 */
export class ChangeFeed implements Copies {
  readonly #parts: FeedParts;
  readonly #rounds: Rounds;
  readonly #kept = new Map<KeptTable, Kept<never>>();
  /** The changes that this gateway made since the last reading and already has in memory. */
  #own = new Map<KeptTable, Set<string>>();
  #position: Position;
  #changes = 0;
  /** The error of the last reading, if it failed. */
  #failed: unknown;
  #tidiedAt: number;

  private constructor(parts: FeedParts, position: Position) {
    const { realClock } = parts.runtime;
    this.#parts = parts;
    this.#position = position;
    this.#tidiedAt = realClock.monotonic();
    this.#rounds = new Rounds(realClock, parts.everyMs, () => this.#round());
  }

  static async open(parts: FeedParts, from?: Position): Promise<ChangeFeed> {
    return new ChangeFeed(parts, from ?? (await positionNow(parts.store)));
  }

  keep<Table extends KeptTable>(table: Table, kept: Kept<Schema[Table]>): void {
    this.#kept.set(table, kept);
  }

  /**
   * Call this with what this gateway has changed on disk and in memory. A reading that is under way does not overwrite
   * the change, and the next reading reads the row again, whichever gateway changed it last.
   */
  changed(table: KeptTable, key: string): void {
    const keys = this.#own.get(table);
    if (keys) keys.add(key);
    else this.#own.set(table, new Set([key]));
    this.#changes++;
    this.#parts.others?.tell();
  }

  /**
   * Does work. If this gateway changed something meanwhile, waits until the gateways that can be reached have read
   * that.
   */
  async knownToAll<Result>(work: () => Promise<Result>): Promise<Result> {
    const before = this.#changes;
    const result = await work();
    if (this.#changes !== before) await this.#parts.others?.caughtUp().catch(() => {}); // the change is stored
    return result;
  }

  /**
   * Resolves when everything that was committed before this call is in memory. @throws if the database does not answer
   */
  async current(): Promise<void> {
    await this.#rounds.now();
    if (this.#failed) throw this.#failed;
  }

  /** Does the same as {@link current} if the database answers. If not, the present content of the memory is used. */
  async takeIn(): Promise<void> {
    if (!this.#failed) await this.#rounds.now();
  }

  stop(): Promise<void> {
    return this.#rounds.stop();
  }

  async #round(): Promise<void> {
    try {
      await this.#read();
      this.#failed = undefined;
      await this.#tidy();
    } catch (error) {
      this.#failed = error;
      if (!isStorageFault(error)) this.#warn(`the changes of other gateways could not be read: ${error}`);
    }
  }

  async #read(): Promise<void> {
    const own = this.#own;
    this.#own = new Map();
    try {
      const { changed, missed, position } = await changesSince(this.#parts.store, this.#position);
      const keys = Map.groupBy(changed, ([table]) => table);
      for (const [table, kept] of this.#kept) {
        const those = new Set(keys.get(table)?.map(([, key]) => key));
        for (const key of own.get(table) ?? []) those.add(key);
        if (missed) await this.#addAll(table, kept, those);
        await this.#bringUp(table, kept, [...those]);
      }
      this.#position = position;
    } catch (error) {
      for (const [table, keys] of own)
        this.#own.set(table, new Set([...keys, ...(this.#own.get(table) ?? [])]));
      throw error;
    }
  }

  async #addAll(table: KeptTable, kept: Kept<never>, keys: Set<string>): Promise<void> {
    for (const key of await allKeys(this.#parts.store, table)) keys.add(key);
    for (const key of kept.known()) keys.add(key);
  }

  async #bringUp(table: KeptTable, kept: Kept<never>, keys: readonly string[]): Promise<void> {
    if (keys.length === 0) return;
    const rows = await rowsByKey(this.#parts.store, table, keys);
    for (const key of keys) {
      if (this.#own.get(table)?.has(key)) continue;
      try {
        kept.install(key, rows.get(key) as never);
      } catch (error) {
        this.#warn(`a change that another gateway stored in ${table} cannot be understood: ${error}`);
      }
    }
  }

  async #tidy(): Promise<void> {
    const now = this.#parts.runtime.realClock.monotonic();
    if (now - this.#tidiedAt < tidyEveryMs) return;
    this.#tidiedAt = now;
    await dropOldChanges(this.#parts.store);
  }

  #warn(message: string): void {
    this.#parts.runtime.journal.add('warning', { message });
  }
}
