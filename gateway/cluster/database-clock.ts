import type { Clock } from '../../shared/clock.ts';
import { WallClock } from '../../shared/wall-clock.ts';

/** The most by which two good clocks drift apart in each millisecond. */
const driftPerMs = 0.0002;

/** The clocks of gateways differ by milliseconds; a difference of more than this has another cause. */
const aheadAtMostMs = 10_000;

/** A time that the database's clock showed, between two moments of the monotonic clock: the question and the answer. */
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
  /** By how much the clock may be wrong, as estimated at that moment. */
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
   * Keeps the more exact of the known reading and a new one. If they contradict each other, the database's clock was
   * set, and the new reading counts.
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

  /** The milliseconds since a moment, never below 0: another gateway's clock may be a little ahead of this one. */
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
