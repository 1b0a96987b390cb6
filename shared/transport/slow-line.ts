import type { Clock, TimerHandle } from '../clock.ts';

/** One direction of a slow connection: everything arrives, in its order, but late. */
export class SlowLine {
  readonly #clock: Clock;
  #latencyMs = 0;
  /** When the last thing on the way arrives: nothing overtakes it, also where the line has become faster. */
  #lastDue = 0;
  #onTheWay = new Set<TimerHandle>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** What is sent from now on takes so long, in milliseconds of the clock. */
  set latencyMs(ms: number) {
    this.#latencyMs = ms;
  }

  /** Runs `arrive` when what is sent now arrives; at once where the line is fast and empty. */
  carry(arrive: () => void): void {
    if (this.#latencyMs === 0 && this.#onTheWay.size === 0) return arrive();
    const now = this.#clock.now();
    this.#lastDue = Math.max(this.#lastDue, now + this.#latencyMs);
    const timer: TimerHandle = this.#clock.setTimeout(() => {
      this.#onTheWay.delete(timer);
      arrive();
    }, this.#lastDue - now);
    this.#onTheWay.add(timer);
  }

  /** What is on the way never arrives. */
  lose(): void {
    for (const timer of this.#onTheWay) this.#clock.clearTimeout(timer);
    this.#onTheWay.clear();
  }
}
