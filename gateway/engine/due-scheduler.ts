import { DeadlineScheduler, leftSince } from '../../shared/deadlines.ts';
import type { Runtime } from '../../shared/runtime.ts';
import type { Tx } from '../store/schema.ts';
import type { Store } from '../store/store.ts';
import type { Duties, Duty } from './duties.ts';

/**
 * If there are several gateways, work is read into memory this many ms before it is due. If the reading fails once or
 * twice, the work is still done in time.
 */
const aheadMs = 3_000;
const dutyMs = 5_000;

/** Something that is due at a stored time. */
export interface DueItem {
  id: string;
  dueAt: number;
  /** The full time in ms from the moment at which the thing was set until `dueAt`. */
  fullMs: number;
}

interface DueParts<One extends DueItem> {
  runtime: Runtime;
  store: Store;
  duties: Duties;
  /** The name of the duty. If there are several gateways, the one that has the duty does the work. */
  name: string;
  /**
   * Reads the things that are due before the given time, the earliest first. If no time is given, reads all of them.
   */
  read(tx: Tx, before: number | undefined): Promise<readonly One[]>;
  /**
   * Does the thing that is due. If it is no longer stored as it was read, does nothing. If this function rejects, it is
   * called again later.
   */
  run(one: One): Promise<unknown>;
  /** Gives the journal's text for something that could not be done. */
  warning(id: string, error: unknown): string;
}

/**
 * Does things when they are due, whichever gateway stored them. A lone gateway has all of them in memory. If there are
 * several gateways, the one that has the duty reads each second what is due next.
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

  /** Starts with the things that a former process left. */
  async begin(): Promise<void> {
    const { duties, name, store, read } = this.#parts;
    this.#duty = duties.share(name, dutyMs, { sweep: () => this.#sweep(), forget: () => this.#forget() });
    if (!this.#duty) for (const one of await store.read((tx) => read(tx, undefined))) this.set(one);
  }

  /** Adds a thing that will be due, or changes its time. */
  set(one: One): void {
    const leftMs = leftSince(this.#parts.runtime.clock, one.dueAt - one.fullMs, one.fullMs);
    if (this.#duty && (this.#duty.token === undefined || leftMs > aheadMs)) return this.clear(one.id);
    this.#coming.set(one.id, one);
    this.#deadlines.set(one.id, leftMs);
  }

  clear(id: string): void {
    this.#coming.delete(id);
    this.#deadlines.clear(id);
  }

  /** Does nothing more from now on. */
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
