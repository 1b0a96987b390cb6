import type { Clock, TimerHandle } from './clock.ts';

/**
 * Does work at intervals, and at once when {@link now} is called, but never twice at the same time. Work that fails is
 * repeated in the next round and not reported here. If a database is gone, the calls that fail because of that report
 * it.
 */
export class PeriodicRunner {
  readonly #clock: Clock;
  readonly #everyMs: number;
  readonly #work: () => Promise<unknown>;
  #running: Promise<void> | undefined;
  #next: Promise<void> | undefined;
  #stopped = false;
  #timer: TimerHandle;

  constructor(clock: Clock, everyMs: number, work: () => Promise<unknown>) {
    this.#clock = clock;
    this.#everyMs = everyMs;
    this.#work = work;
    this.#wait();
  }

  /**
   * Begins a round. If one is under way, another one follows it. Resolves when a round that began after the call is
   * over.
   */
  now(): Promise<void> {
    if (this.#next) return this.#next;
    if (!this.#running) return this.#begin();
    this.#next = this.#running.then(() => {
      this.#next = undefined;
      return this.#begin();
    });
    return this.#next;
  }

  /** Begins no further rounds, and resolves when the one under way is over. */
  async stop(): Promise<void> {
    this.#stopped = true;
    this.#clock.clearTimeout(this.#timer);
    await this.#running;
  }

  #begin(): Promise<void> {
    if (this.#stopped) return Promise.resolve();
    this.#clock.clearTimeout(this.#timer);
    this.#running = this.#run();
    return this.#running;
  }

  async #run(): Promise<void> {
    await this.#work().catch(() => {});
    this.#running = undefined;
    this.#wait();
  }

  #wait(): void {
    if (!this.#stopped) this.#timer = this.#clock.setTimeout(() => void this.now(), this.#everyMs);
  }
}
