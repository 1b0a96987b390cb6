import type { Clock } from '../../shared/clock.ts';
import { WallClock } from '../../shared/wall-clock.ts';

/** Two good clocks drift apart by no more than this, so much for each millisecond. */
const driftPerMs = 0.0002;

/** Gateways disagree by milliseconds; this much is another matter. */
const aheadAtMostMs = 10_000;

/** What the database's clock showed, on the monotonic clock: not before it was asked, nor after it answered. */
export interface ClockReading {
  askedAt: number;
  answeredAt: number;
  shown: number;
}

/**
 * The database's wall clock, of which all gateways are to agree: read now and then, and counted on by this machine's
 * monotonic clock. The machine's own wall clock may be wrong by minutes.
 */
export class DatabaseClock implements Clock {
  readonly virtual = false;
  readonly #clock: Clock;
  readonly #wall: WallClock;
  #ahead: number;
  /** By so much it may be wrong, at that moment. */
  #wrongBy: { ms: number; at: number };

  constructor(clock: Clock, reading: ClockReading) {
    this.#clock = clock;
    ({ ahead: this.#ahead, wrongBy: this.#wrongBy } = measured(reading));
    this.#wall = new WallClock(
      () => Math.floor(clock.monotonic() + this.#ahead),
      () => clock.monotonic(),
    );
  }

  /** Takes the more exact of what is known and a new reading; the new one where they contradict: the clock was set. */
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

  /** Another gateway may be a little ahead, so that what it stored just now is still to come here. */
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
