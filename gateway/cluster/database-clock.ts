import type { Clock } from '../../shared/clock.ts';
import { WallClock } from '../../shared/wall-clock.ts';

/** The maximum drift between two good clocks, in ms per ms. */
const driftPerMs = 0.0002;

/**
 * A moment that another gateway noted may be ahead of this clock by some milliseconds, because good clocks differ that
 * much. If the moment is ahead by this many ms or more, there is another reason, such as a database clock that was set
 * back.
 */
const aheadAtMostMs = 10_000;

/**
 * A time that the database's clock showed. On the monotonic clock, this time lies between the question to the database
 * and the answer.
 */
export interface ClockReading {
  askedAt: number;
  answeredAt: number;
  shown: number;
}

/**
 * The database's wall clock, on which all gateways must agree. This gateway reads the database's clock at intervals.
 * Between two readings, this machine's monotonic clock counts on from the last reading. This machine's own wall clock
 * is not used, because it may be wrong by minutes.
 */
export class DatabaseClock implements Clock {
  readonly virtual = false;
  readonly #clock: Clock;
  readonly #wall: WallClock;
  /** The milliseconds by which the database's clock is ahead of this machine's monotonic clock. */
  #offset: number;
  /** `ms` is the estimated error of this clock. `at` is the time of the estimate. */
  #wrongBy: { ms: number; at: number };

  constructor(clock: Clock, reading: ClockReading) {
    this.#clock = clock;
    ({ offset: this.#offset, wrongBy: this.#wrongBy } = measured(reading));
    this.#wall = new WallClock(
      () => Math.floor(clock.monotonic() + this.#offset),
      () => clock.monotonic(),
    );
  }

  /**
   * Compares a new reading with the known one, and keeps the more exact one. If the two readings contradict each other,
   * someone has set the database's clock, so the new reading is kept.
   */
  read(reading: ClockReading): void {
    const { offset, wrongBy } = measured(reading);
    const former = this.#wrongBy.ms + (wrongBy.at - this.#wrongBy.at) * driftPerMs;
    if (wrongBy.ms > former && Math.abs(offset - this.#offset) <= wrongBy.ms + former) return;
    this.#offset = offset;
    this.#wrongBy = wrongBy;
  }

  now(): number {
    return this.#wall.now();
  }

  /**
   * The milliseconds since `momentMs`, at least 0. The result is 0 if `momentMs` is a little ahead of this clock. This
   * happens if another gateway noted `momentMs` by a clock that is a little ahead.
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
  return { offset: shown - (askedAt + ms), wrongBy: { ms, at: answeredAt } };
}
