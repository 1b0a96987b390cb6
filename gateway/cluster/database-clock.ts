import type { Clock } from '../../shared/clock.ts';
import { WallClock } from '../../shared/wall-clock.ts';

/** The maximum drift between two good clocks, in ms per ms. */
const driftPerMs = 0.0002;

/**
 * If another gateway's time is ahead by less than this many ms, the reason is that clocks differ by milliseconds. If it
 * is ahead by more, there is another reason.
 */
const aheadAtMostMs = 10_000;

/**
 * A time that the database's clock showed, between two times on the monotonic clock: that of the question and that of
 * the answer.
 */
export interface ClockReading {
  askedAt: number;
  answeredAt: number;
  shown: number;
}

/**
 * The database's wall clock, on which all gateways must agree. It is read now and then; in between, this machine's
 * monotonic clock continues from the last reading. The machine's own wall clock may be wrong by minutes.
 */
export class DatabaseClock implements Clock {
  readonly virtual = false;
  readonly #clock: Clock;
  readonly #wall: WallClock;
  #ahead: number;
  /** The estimated error of the clock, in ms, and the time of the estimate. */
  #wrongBy: { ms: number; at: number };

  constructor(clock: Clock, reading: ClockReading) {
    this.#clock = clock;
    ({ ahead: this.#ahead, wrongBy: this.#wrongBy } = measured(reading));
    this.#wall = new WallClock(
      () => Math.floor(clock.monotonic() + this.#ahead),
      () => clock.monotonic(),
    );
  }

  /**
   * Keeps the more exact reading: the known one or this new one. If they contradict each other, the database's clock
   * was set, and the new reading is kept.
   */
  read(reading: ClockReading): void {
    const { ahead, wrongBy } = measured(reading);
    const former = this.#wrongBy.ms + (wrongBy.at - this.#wrongBy.at) * driftPerMs;
    if (wrongBy.ms > former && Math.abs(ahead - this.#ahead) <= wrongBy.ms + former) return;
    this.#ahead = ahead;
    this.#wrongBy = wrongBy;
  }

  now(): number {
    return this.#wall.now();
  }

  /**
   * The milliseconds since `momentMs`, never below 0. Another gateway may have noted that time by a clock that is a
   * little ahead of this one.
   */
  elapsedSince(momentMs: number): number {
    const ahead = momentMs - this.now();
    return ahead >= 0 && ahead < aheadAtMostMs ? 0 : this.#wall.elapsedSince(momentMs);
  }

  monotonic(): number {
    return this.#clock.monotonic();
  }

  setTimeout(run: () => void, delayMs: number): unknown {
    return this.#clock.setTimeout(run, delayMs);
  }

  clearTimeout(timer: unknown): void {
    this.#clock.clearTimeout(timer);
  }
}

function measured({ askedAt, answeredAt, shown }: ClockReading) {
  const ms = (answeredAt - askedAt) / 2;
  return { ahead: shown - (askedAt + ms), wrongBy: { ms, at: answeredAt } };
}
