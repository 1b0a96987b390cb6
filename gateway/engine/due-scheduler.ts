import { computeMsLeft, DeadlineScheduler } from '../../shared/deadlines.ts';
import type { Tx } from '../store/schema.ts';
import type { StoreParts } from '../store/store.ts';
import type { Duty, DutyAssigner } from './duties.ts';

/**
 * If there are several gateways, an item is read into memory this many ms before it is due. Even if the reading fails
 * once or twice, the item is still handled in time.
 */
const aheadMs = 3_000;
const dutyMs = 5_000;

/** An item that is due at a stored time. */
export interface DueItem {
  id: string;
  dueAt: number;
  /** The full duration of the wait in ms. The wait ends at `dueAt`. */
  fullMs: number;
}

interface DueParts<One extends DueItem> extends StoreParts {
  duties: DutyAssigner;
  /** The name of the duty. If there are several gateways, the gateway that has the duty handles the items. */
  name: string;
  /** Reads the items that are due before the given time, the earliest first. If no time is given, reads all items. */
  read(tx: Tx, before: number | undefined): Promise<readonly One[]>;
  /**
   * Handles an item that is due. If the stored item has changed since it was read, does nothing. If this function
   * rejects, it is called again later.
   */
  run(one: One): Promise<unknown>;
  /** Gives the journal's text for an item that could not be handled. */
  warning(id: string, error: unknown): string;
}

/**
 * Handles items when they are due, whichever gateway stored them. A lone gateway has all items in memory. If there are
 * several gateways, the gateway that has the duty reads each second which items are due next.
 */
export class DueScheduler<One extends DueItem> {
  readonly #parts: DueParts<One>;
  readonly #deadlines: DeadlineScheduler;
  readonly #coming = new Map<string, One>();
  #duty: Duty | undefined;

  constructor(parts: DueParts<One>) {
    this.#parts = parts;
    this.#deadlines = new DeadlineScheduler(parts.runtime.clock, {
      timeWaits: parts.runtime.timeWaits,
      run: (id) => this.#run(id),
      failed: (id, error, failures) =>
        failures === 1 && parts.runtime.journal.add('warning', { message: parts.warning(id, error) }),
    });
  }

  static async open<One extends DueItem>(parts: DueParts<One>): Promise<DueScheduler<One>> {
    const due = new DueScheduler(parts);
    await due.begin();
    return due;
  }

  /**
   * Makes this gateway a candidate for the duty. A lone gateway instead sets the timers of the items that a former
   * process left.
   */
  async begin(): Promise<void> {
    const { duties, name, store, read } = this.#parts;
    this.#duty = duties.share(name, dutyMs, { sweep: () => this.#sweep(), forget: () => this.#forget() });
    if (!this.#duty) for (const one of await store.read((tx) => read(tx, undefined))) this.set(one);
  }

  /** Adds an item, or changes the time at which it is due. */
  set(one: One): void {
    const leftMs = computeMsLeft(this.#parts.runtime.clock, one.dueAt - one.fullMs, one.fullMs);
    if (this.#duty && (this.#duty.token === undefined || leftMs > aheadMs)) return this.clear(one.id);
    this.#coming.set(one.id, one);
    this.#deadlines.set(one.id, leftMs);
  }

  clear(id: string): void {
    this.#coming.delete(id);
    this.#deadlines.clear(id);
  }

  /** Stops all timers. No item is handled from now on. */
  stop(): void {
    this.#deadlines.stop();
    this.#coming.clear();
  }

  async #run(id: string): Promise<void> {
    const one = this.#coming.get(id);
    if (!one) return;
    await this.#parts.run(one);
    if (this.#coming.get(id) === one) this.#coming.delete(id);
  }

  async #sweep(): Promise<void> {
    const { store, runtime, read } = this.#parts;
    const token = this.#duty?.token;
    const coming = await store.read((tx) => read(tx, runtime.clock.now() + aheadMs));
    if (this.#duty?.token !== token) return;
    for (const one of coming) if (this.#coming.get(one.id)?.dueAt !== one.dueAt) this.set(one);
  }

  #forget(): void {
    for (const id of this.#coming.keys()) this.clear(id);
  }
}
