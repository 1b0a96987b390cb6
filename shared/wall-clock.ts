/** A smaller difference comes from a slow adjustment of the clock, not from setting it. */
const smallestStepMs = 1000;
/** How many settings of the clock are remembered. */
const mostSettings = 100;

/** How far the wall clock was ahead of the monotonic one, from this monotonic moment on. */
interface Setting {
  from: number;
  aheadMs: number;
}

/**
 * A wall clock that may be set. It is read together with a monotonic clock, and so notices that it was set; it can then
 * still say how long ago a moment was (B122).
 */
export class WallClock {
  readonly #read: () => number;
  readonly #monotonic: () => number;
  readonly #startedAt: number;
  /** The settings, the latest last. */
  readonly #settings: Setting[];

  constructor(read: () => number, monotonic: () => number) {
    this.#read = read;
    this.#monotonic = monotonic;
    this.#startedAt = monotonic();
    this.#settings = [{ from: Number.NEGATIVE_INFINITY, aheadMs: read() - this.#startedAt }];
  }

  now(): number {
    const now = this.#read();
    const from = this.#monotonic();
    const aheadMs = now - from;
    const before = this.#settings.at(-1)?.aheadMs ?? aheadMs;
    if (Math.abs(aheadMs - before) >= smallestStepMs) {
      this.#settings.push({ from, aheadMs });
      if (this.#settings.length > mostSettings) this.#settings.shift();
    }
    return now;
  }

  /**
   * How long ago {@link now} gave a moment. If the clock showed the moment twice, the later time counts. If the moment
   * is still to come, a former process with another clock gave it; then it counts as long ago as the start of this
   * clock.
   */
  elapsedSince(momentMs: number): number {
    this.now();
    const now = this.#monotonic();
    for (const { from, aheadMs } of this.#settings.toReversed()) {
      const at = momentMs - aheadMs; // a slow adjustment since then is in it, and may put it ahead of now
      if (at >= from - smallestStepMs && at <= now + smallestStepMs) return Math.max(0, now - at);
    }
    return now - this.#startedAt;
  }
}
