/** If the wall clock differs by less than this, in milliseconds, it was only adjusted slowly, and not set. */
const smallestStepMs = 1000;
/** The maximum number of settings of the clock that are remembered. */
const mostSettings = 100;

/** From the moment `from` of the monotonic clock on, the wall clock was ahead of the monotonic clock by `aheadMs`. */
interface Setting {
  from: number;
  aheadMs: number;
}

/**
 * A wall clock that is read together with a monotonic clock. So it notices when it is set, and can still say how long
 * ago a moment was (B122).
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
