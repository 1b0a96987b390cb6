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
 * A wall clock that notices when it is set, because it is read together with a monotonic clock. So it can still say how
 * long ago a moment was (B122).
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
   * How long ago {@link now} gave a moment. If the clock showed the moment twice, the later time counts. A moment that
   * is still to come must be from a former process with another clock. It counts as long ago as the start of this
   * clock.
   */
  elapsedSince(momentMs: number): number {
    this.now();
    const now = this.#monotonic();
    for (const { from, aheadMs } of this.#settings.toReversed()) {
      // this includes slow adjustments of the clock since that moment, which may put it ahead of now
      const at = momentMs - aheadMs;
      if (at >= from - smallestStepMs && at <= now + smallestStepMs) return Math.max(0, now - at);
    }
    return now - this.#startedAt;
  }
}
