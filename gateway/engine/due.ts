import { Deadlines, leftSince } from '../../shared/deadlines.ts';
import type { Runtime } from '../../shared/runtime.ts';
import type { Tx } from '../store/schema.ts';
import type { Store } from '../store/store.ts';
import type { Duties, Duty } from './duties.ts';

/**
 * With other gateways, work that is due within this time is in memory, so that a sweep may fail before anything is
 * late.
 */
const aheadMs = 3_000;
const dutyMs = 5_000;

/** Something that happens by itself at a stored moment. */
export interface Coming {
  id: string;
  dueAt: number;
  /** How long before its moment it was set. */
  fullMs: number;
}

interface DueParts<One extends Coming> {
  runtime: Runtime;
  store: Store;
  duties: Duties;
  /** Names the duty. */
  name: string;
  /** Reads what falls due before a moment, the earliest first; without a moment, all that falls due. */
  read(tx: Tx, before: number | undefined): Promise<readonly One[]>;
  /** Does what falls due, if it is still stored so. If that rejects, it is done again later. */
  run(one: One): Promise<unknown>;
  /** Gives the journal's text for what could not be done. */
  warning(id: string, error: unknown): string;
}

/**
 * Does what falls due, whichever gateway stored it. A lone gateway has all of it in memory. Of several gateways, the
 * one with the duty looks each second for what comes next.
 */
export class Due<One extends Coming> {
  readonly #parts: DueParts<One>;
  readonly #deadlines: Deadlines;
  readonly #coming = new Map<string, One>();
  #duty: Duty | undefined;

  constructor(parts: DueParts<One>) {
    this.#parts = parts;
    this.#deadlines = new Deadlines(parts.runtime.clock, {
      timeWaits: parts.runtime.timeWaits,
      run: (id) => this.#run(id),
      failed: (id, error, failures) =>
        failures === 1 && parts.runtime.journal.add('warning', { message: parts.warning(id, error) }),
    });
  }

  static async open<One extends Coming>(parts: DueParts<One>): Promise<Due<One>> {
    const due = new Due(parts);
    await due.begin();
    return due;
  }

  /** Takes up what a former process left. */
  async begin(): Promise<void> {
    const { duties, name, store, read } = this.#parts;
    this.#duty = duties.share(name, dutyMs, { sweep: () => this.#sweep(), forget: () => this.#forget() });
    if (!this.#duty) for (const one of await store.read((tx) => read(tx, undefined))) this.set(one);
  }

  /** Notes that something falls due, or falls due at another moment. */
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

  /** From now on nothing falls due here. */
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
