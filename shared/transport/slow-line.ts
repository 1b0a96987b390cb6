import type { Clock, TimerHandle } from '../clock.ts';

/** One direction of a slow connection. All frames arrive in their order, but late. */
export class SlowLine {
  readonly #clock: Clock;
  #latencyMs = 0;
  /**
   * The moment when the last of the frames that are on their way will arrive. No later frame arrives before this
   * moment, even if the line has become faster.
   */
  #lastDue = 0;
  #onTheWay: { timer: TimerHandle; arrive: () => void }[] = [];

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Sets the delay of frames that are sent from now on, in milliseconds of the clock. */
  set latencyMs(ms: number) {
    this.#latencyMs = ms;
  }

  /**
   * Sends a frame, and calls `arrive` when the frame arrives. If the line has no delay and no frame on its way, calls
   * `arrive` at once.
   */
  carry(arrive: () => void): void {
    if (this.#latencyMs === 0 && this.#onTheWay.length === 0) return arrive();
    const now = this.#clock.monotonic();
    this.#lastDue = Math.max(this.#lastDue, now + this.#latencyMs);
    // In Node, timers with different lengths that end at the same time can fire in any order. So whenever a timer
    // fires, the first waiting frame arrives, even if the timer was set for another frame.
    const timer = this.#clock.setTimeout(() => this.#onTheWay.shift()?.arrive(), this.#lastDue - now);
    this.#onTheWay.push({ timer, arrive });
  }

  /** Drops the frames that are on the way. */
  lose(): void {
    for (const { timer } of this.#onTheWay.splice(0)) this.#clock.clearTimeout(timer);
  }
}
