import { isStorageFault } from '../../shared/database/storage-fault.ts';
import { PeriodicRunner } from '../../shared/rounds.ts';
import type { MemoryCopiedTable, MemoryCopyUpdater, MemoryRowsAccess } from '../engine/memory-copies.ts';
import type { GatewayTables } from '../store/schema.ts';
import type { StoreParts } from '../store/store.ts';
import {
  type ChangePosition,
  dropOldChanges,
  readAllKeys,
  readChangesSince,
  readCurrentPosition,
  readRowsByKey,
} from './change-reader.ts';

interface FeedParts extends StoreParts {
  everyMs: number;
  others?: {
    /** Tells the other gateways that there are changes to read. */
    tell(): void;
    /** Resolves when all gateways that can be reached have read the changes. */
    caughtUp(): Promise<void>;
  };
}

const tidyEveryMs = 10 * 60_000;

/**
 * Keeps this gateway's memory up to date with the changes that other gateways make in the database. It reads the
 * changes at intervals, and whenever {@link current} is called. Open the feed before you read anything into memory,
 * because the feed finds only changes that are made after it was opened.
 */
export class ClusterChangeReader implements MemoryCopyUpdater {
  readonly #parts: FeedParts;
  readonly #rounds: PeriodicRunner;
  readonly #kept = new Map<MemoryCopiedTable, MemoryRowsAccess<never>>();
  /** The rows that this gateway has changed since the last reading. Memory already has the new values. */
  #changedHere = new Map<MemoryCopiedTable, Set<string>>();
  #position: ChangePosition;
  #changes = 0;
  /** The error of the last reading, if it failed. */
  #readError: unknown;
  #tidiedAt: number;

  private constructor(parts: FeedParts, position: ChangePosition) {
    const { realClock } = parts.runtime;
    this.#parts = parts;
    this.#position = position;
    this.#tidiedAt = realClock.monotonic();
    this.#rounds = new PeriodicRunner(realClock, parts.everyMs, () => this.#round());
  }

  static async open(parts: FeedParts, from?: ChangePosition): Promise<ClusterChangeReader> {
    return new ClusterChangeReader(parts, from ?? (await readCurrentPosition(parts.store)));
  }

  keep<Table extends MemoryCopiedTable>(table: Table, kept: MemoryRowsAccess<GatewayTables[Table]>): void {
    this.#kept.set(table, kept);
  }

  /**
   * Call this for each row that this gateway has changed in the database and in memory. If the changes of other
   * gateways are being read at that moment, the reading does not overwrite the row in memory. The next reading reads
   * the row again. So memory keeps the latest change, whichever gateway made the change.
   */
  changed(table: MemoryCopiedTable, key: string): void {
    const keys = this.#changedHere.get(table);
    if (keys) keys.add(key);
    else this.#changedHere.set(table, new Set([key]));
    this.#changes++;
    this.#parts.others?.tell();
  }

  /** Runs `work`. If `work` changed something, waits until all reachable gateways have read the change. */
  async knownToAll<Result>(work: () => Promise<Result>): Promise<Result> {
    const before = this.#changes;
    const result = await work();
    // An error is ignored here: the change is stored, so the other gateways will find it later.
    if (this.#changes !== before) await this.#parts.others?.caughtUp().catch(() => {});
    return result;
  }

  /**
   * Resolves when memory has everything that was committed before this call.
   *
   * @throws if the database does not answer
   */
  async current(): Promise<void> {
    await this.#rounds.now();
    if (this.#readError) throw this.#readError;
  }

  /**
   * Updates memory as {@link current} does, but leaves memory as it is if the last reading failed. So while the database
   * does not answer, callers do not wait for it. The next round reads again, at most `everyMs` later.
   */
  async takeIn(): Promise<void> {
    if (!this.#readError) await this.#rounds.now();
  }

  stop(): Promise<void> {
    return this.#rounds.stop();
  }

  async #round(): Promise<void> {
    try {
      await this.#read();
      this.#readError = undefined;
    } catch (error) {
      this.#readError = error;
      if (!isStorageFault(error)) this.#warn(`the changes of other gateways could not be read: ${error}`);
      return;
    }
    await this.#tidy();
  }

  async #read(): Promise<void> {
    const own = this.#changedHere;
    this.#changedHere = new Map();
    try {
      const { changed, missed, position } = await readChangesSince(this.#parts.store, this.#position);
      const keys = Map.groupBy(changed, ([table]) => table);
      for (const [table, kept] of this.#kept) {
        const those = new Set(keys.get(table)?.map(([, key]) => key));
        for (const key of own.get(table) ?? []) those.add(key);
        if (missed) await this.#addAll(table, kept, those);
        await this.#installRows(table, kept, [...those]);
      }
      this.#position = position;
    } catch (error) {
      for (const [table, keys] of own)
        this.#changedHere.set(table, new Set([...keys, ...(this.#changedHere.get(table) ?? [])]));
      throw error;
    }
  }

  async #addAll(table: MemoryCopiedTable, kept: MemoryRowsAccess<never>, keys: Set<string>): Promise<void> {
    for (const key of await readAllKeys(this.#parts.store, table)) keys.add(key);
    for (const key of kept.known()) keys.add(key);
  }

  async #installRows(
    table: MemoryCopiedTable,
    kept: MemoryRowsAccess<never>,
    keys: readonly string[],
  ): Promise<void> {
    if (keys.length === 0) return;
    const rows = await readRowsByKey(this.#parts.store, table, keys);
    for (const key of keys) {
      if (this.#changedHere.get(table)?.has(key)) continue;
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
    try {
      await dropOldChanges(this.#parts.store);
    } catch (error) {
      if (!isStorageFault(error)) this.#warn(`old changes could not be deleted: ${error}`);
    }
  }

  #warn(message: string): void {
    this.#parts.runtime.journal.add('warning', { message });
  }
}
