import { setImmediate as turnEnd } from 'node:timers/promises';
import type { Clock, TimerHandle } from '../../../shared/clock.ts';

interface Timer {
  readonly at: number;
  readonly run: () => void;
  readonly clock: Clock;
}

/**
 * The time of a history. It passes only on request. Everything that one timer causes is finished before the next timer
 * fires.
 */
export class Timeline {
  readonly startedAt = Date.parse('2026-01-01T09:00:00Z');
  #timers: Timer[] = [];
  #monotonic = 1_000;

  /** Returns the clock of one gateway. */
  clock(): Clock {
    const now = () => this.startedAt + this.#monotonic;
    const clock: Clock = {
      virtual: true,
      now,
      monotonic: () => this.#monotonic,
      elapsedSince: (momentMs) => now() - momentMs,
      setTimeout: (run, delayMs) => this.#set({ at: this.#monotonic + Math.max(0, delayMs), run, clock }),
      clearTimeout: (timer) => {
        this.#timers = this.#timers.filter((other) => other !== timer);
      },
    };
    return clock;
  }

  /** Removes the timers of a clock whose process is dead. */
  stop(clock: Clock): void {
    this.#timers = this.#timers.filter((timer) => timer.clock !== clock);
  }

  async pass(ms: number): Promise<void> {
    const until = this.#monotonic + ms;
    await turnEnd();
    for (let next = this.#next(until); next; next = this.#next(until)) {
      this.#monotonic = Math.max(this.#monotonic, next.at);
      next.run();
      await turnEnd();
    }
    this.#monotonic = until;
  }

  #set(timer: Timer): TimerHandle {
    this.#timers.push(timer);
    return timer;
  }

  #next(until: number): Timer | undefined {
    const first = this.#timers.reduce<Timer | undefined>(
      (one, other) => (one && one.at <= other.at ? one : other),
      undefined,
    );
    if (!first || first.at > until) return undefined;
    this.#timers.splice(this.#timers.indexOf(first), 1);
    return first;
  }
}
