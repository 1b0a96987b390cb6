import type { Clock, TimerHandle } from '../../shared/clock.ts';

interface Timer {
  readonly due: number;
  readonly run: () => void;
}

/**
 * The clock of a program that is sometimes held up. `stall` lets time pass in which the program does nothing, and then
 * runs the timers that are due. As in an event loop, the timers run before the program reads the input that arrived in
 * the meantime.
 */
export class StallingClock implements Clock {
  readonly virtual = true;
  #now = 0;
  #timers = new Set<Timer>();

  now(): number {
    return this.#now;
  }

  monotonic(): number {
    return this.#now;
  }

  elapsedSince(momentMs: number): number {
    return this.#now - momentMs;
  }

  setTimeout(run: () => void, delayMs: number): TimerHandle {
    const timer = { due: this.#now + delayMs, run };
    this.#timers.add(timer);
    return timer;
  }

  clearTimeout(timer: TimerHandle): void {
    this.#timers.delete(timer as Timer);
  }

  stall(byMs: number): void {
    this.#now += byMs;
    const due = [...this.#timers].filter((timer) => timer.due <= this.#now);
    for (const timer of due) if (this.#timers.delete(timer)) timer.run();
  }

  get waiting(): boolean {
    return this.#timers.size > 0;
  }
}
