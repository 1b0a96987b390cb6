/**
 * The smallest change of the wall clock, in milliseconds, that counts as setting the clock. A smaller change comes from
 * a slow adjustment.
 */
const smallestStepMs = 1000;
/** At most this many settings of the clock are remembered. */
const mostSettings = 100;

/**
 * From the moment `from` onward, the wall clock was ahead of the monotonic clock by `aheadMs`. `from` is a time of the
 * monotonic clock.
 */
interface Setting {
  from: number;
  aheadMs: number;
}

/**
 * A wall clock that is read together with a monotonic clock. So this object notices when the wall clock is set, and can
 * still say how long ago a moment was (B122).
 */
export class WallClock {
  readonly #read: () => number;
  readonly #monotonic: () => number;
  readonly #startedAt: number;
  /** The settings of the wall clock, in the order in which they happened. */
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
   * Returns how many milliseconds ago {@link now} returned the moment `momentMs`. If the clock showed the moment twice,
   * the later time counts. If the clock has not shown the moment, the moment must be from a former process with another
   * clock. In that case, returns the time since the start of this clock.
   */
  elapsedSince(momentMs: number): number {
    this.now();
    const now = this.#monotonic();
    for (const { from, aheadMs } of this.#settings.toReversed()) {
      // `at` is not exact if the clock was adjusted slowly since then, so `at` can be later than `now`
      const at = momentMs - aheadMs;
      if (at >= from - smallestStepMs && at <= now + smallestStepMs) return Math.max(0, now - at);
    }
    return now - this.#startedAt;
  }
}
