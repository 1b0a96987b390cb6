import type { Clock } from '../clock.ts';
import type { InFlightTracker } from '../in-flight.ts';
import type { Journal } from '../journal.ts';

/** If a hold lasts this long, in real milliseconds, the log warns of it once. */
const warnedAfterMs = 60_000;

type HoldEnd = 'released' | 'limit' | 'closed';

/** Time stands still until this hold ends. */
export interface TimeHold {
  readonly name: string;
  /** The moment when the hold began, in epoch milliseconds of real time. */
  readonly since: number;
  /** Resolves when the hold ends. The value says how the hold ended. */
  readonly ended: Promise<HoldEnd>;
  end(how: HoldEnd): void;
}

interface HoldsParts {
  readonly realClock: Clock;
  readonly inFlight: InFlightTracker;
  readonly journal: Journal;
}

/** The holds that keep time stopped. As long as there is a hold, nothing moves time, not even `advance` (B273). */
export class TimeHolds {
  readonly #parts: HoldsParts;
  readonly #held = new Set<TimeHold>();

  constructor(parts: HoldsParts) {
    this.#parts = parts;
  }

  list(): TimeHold[] {
    return [...this.#held];
  }

  /**
   * @param maxMs the maximum time for which the hold lasts, in real milliseconds; if absent, the hold lasts until `end`
   * is called
   */
  hold(name: string, maxMs?: number): TimeHold {
    const { realClock, inFlight, journal } = this.#parts;
    const release = inFlight.hold();
    const { promise: ended, resolve } = Promise.withResolvers<HoldEnd>();
    const warning = realClock.setTimeout(() => {
      const seconds = Math.round(warnedAfterMs / 1_000);
      journal.add('warning', { message: `time has been held by "${name}" for ${seconds} real seconds` });
    }, warnedAfterMs);
    const limit = maxMs === undefined ? undefined : realClock.setTimeout(() => hold.end('limit'), maxMs);
    const hold: TimeHold = {
      name,
      since: realClock.now(),
      ended,
      end: (how) => {
        if (!this.#held.delete(hold)) return;
        realClock.clearTimeout(warning);
        realClock.clearTimeout(limit);
        resolve(how);
        release();
      },
    };
    this.#held.add(hold);
    return hold;
  }

  /** Ends all holds with this name. Returns the number of these holds. */
  release(name: string): number {
    const those = this.list().filter((hold) => hold.name === name);
    for (const hold of those) hold.end('released');
    return those.length;
  }
}
