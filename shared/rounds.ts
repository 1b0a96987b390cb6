import type { Clock, TimerHandle } from './clock.ts';

/**
 * Does work at intervals, and at once when {@link now} is called, but never twice at the same time. If the work fails,
 * it is repeated in the next round. The failure (for example, that a database is gone) is not reported here, because
 * the calls that failed have reported it.
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
   * Begins a round. If a round is already running, begins another round when the running one has ended. Resolves when a
   * round that began after this call has ended.
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

  /** Begins no further rounds, and resolves when the running round is over. */
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
