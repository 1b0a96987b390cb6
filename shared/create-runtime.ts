import { type Clock, systemClock } from './clock.ts';
import { uncounted } from './in-flight.ts';
import { Journal, type JournalLimits } from './journal.ts';
import { alphanumeric, Identifiers, type Random, seededRandom, systemRandom } from './random.ts';
import type { Runtime } from './runtime.ts';
import { timeNeedsNobody, VirtualWaits } from './skipping/time-waits.ts';
import { scaledTimeouts, type Timeouts } from './timeouts.ts';
import { VirtualClock } from './virtual-clock.ts';

export interface RuntimeOptions {
  /**
   * `virtual` starts at 2026-01-01T09:00:00Z and moves only when code moves it; so does `skipping`, which a stack moves
   * by itself.
   */
  clock?: 'real' | 'virtual' | 'skipping';
  /** The same seed gives the same identifiers and choices; if absent, the operating system gives random ones. */
  seed?: number;
  /** Real time; the system's when absent. */
  realClock?: Clock;
  /** Multiplies every timeout. */
  timeScale?: number;
  timeouts?: Partial<Timeouts>;
  /** How much the journal keeps. */
  journal?: Partial<JournalLimits>;
}

/** Where every virtual clock starts, so that two runs show the same times. */
const virtualStartMs = Date.UTC(2026, 0, 1, 9, 0, 0);

export function createRuntime(options: RuntimeOptions = {}): Runtime {
  const { clock: kind = 'real', realClock = systemClock } = options;
  const virtual = kind === 'real' ? undefined : new VirtualClock({ startMs: virtualStartMs });
  const clock: Clock = virtual ?? systemClock;
  const inFlight = virtual?.inFlight ?? uncounted;
  const journal = new Journal(clock, options.journal, realClock);
  const random: Random = options.seed === undefined ? systemRandom : seededRandom(options.seed);
  return {
    clock,
    realClock,
    random,
    realRandom: systemRandom,
    identifiers: new Identifiers(clock, random),
    inFlight,
    timeWaits: virtual ? new VirtualWaits({ clock, realClock, inFlight, journal }) : timeNeedsNobody,
    journal,
    timeouts: scaledTimeouts(options.timeScale, options.timeouts),
    // Not made from the seed: another process with the same seed still has another clock.
    ...(virtual ? { clockId: alphanumeric(systemRandom, 16) } : {}),
  };
}
