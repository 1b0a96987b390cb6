import type { Clock, TimerHandle } from './clock.ts';

/**
 * Runs work at moments that are stored elsewhere: whoever owns them arms each again at start, so a deadline
 * outlives the process. The work checks what is stored, because that may have changed in the meantime.
 */
export class Deadlines {
  #clock: Clock;
  #run: (id: string) => void;
  #timers = new Map<string, TimerHandle>();
  #stopped = false;

  constructor(clock: Clock, run: (id: string) => void) {
    this.#clock = clock;
    this.#run = run;
  }

  /** Runs the work for `id` at `atMs` (epoch) and no earlier, in place of an earlier moment; one already past is due at once. */
  set(id: string, atMs: number): void {
    this.clear(id);
    if (this.#stopped) return;
    const timer = this.#clock.setTimeout(
      () => {
        this.#timers.delete(id);
        // Node's timers and Date.now() disagree by up to a millisecond, so a timer can be early.
        if (this.#clock.now() < atMs) this.set(id, atMs);
        else this.#run(id);
      },
      Math.max(0, atMs - this.#clock.now()),
    );
    this.#timers.set(id, timer);
  }

  clear(id: string): void {
    const timer = this.#timers.get(id);
    if (timer === undefined) return;
    this.#clock.clearTimeout(timer);
    this.#timers.delete(id);
  }

  /** Forgets every moment, also those that come after; they are the next process's. */
  stop(): void {
    this.#stopped = true;
    for (const id of [...this.#timers.keys()]) this.clear(id);
  }
}
