import { type Clock, systemClock } from './clock.ts';
import { noInFlightTracking } from './in-flight.ts';
import { Journal, type JournalLimits } from './journal.ts';
import {
  IdentifierGenerator,
  makeAlphanumericText,
  makeSeededRandom,
  type Random,
  systemRandom,
} from './random.ts';
import type { Runtime } from './runtime.ts';
import { realTimeWaits, VirtualTimeWaits } from './skipping/time-waits.ts';
import { makeTimeouts, type Timeouts } from './timeouts.ts';
import { VirtualClock } from './virtual-clock.ts';

export interface RuntimeOptions {
  /**
   * A `virtual` clock starts at 2026-01-01T09:00:00Z and advances only when code advances it. A `skipping` clock starts
   * at the same moment, and the stack (the gateway with its terminals) advances it.
   */
  clock?: 'real' | 'virtual' | 'skipping';
  /**
   * The same seed gives the same identifiers and choices. If there is no seed, the operating system provides random
   * numbers.
   */
  seed?: number;
  /** The clock of real time; if absent, the system's clock. */
  realClock?: Clock;
  /** Multiplies every timeout. */
  timeScale?: number;
  timeouts?: Partial<Timeouts>;
  /** The maximum numbers of entries and bytes that the journal keeps. */
  journal?: Partial<JournalLimits>;
}

/** Every virtual clock starts at this moment, so that two runs show the same times. */
const virtualStartMs = Date.UTC(2026, 0, 1, 9, 0, 0);

export function createRuntime(options: RuntimeOptions = {}): Runtime {
  const { clock: kind = 'real', realClock = systemClock } = options;
  const virtual = kind === 'real' ? undefined : new VirtualClock({ startMs: virtualStartMs });
  const clock: Clock = virtual ?? realClock;
  const inFlight = virtual?.inFlight ?? noInFlightTracking;
  const journal = new Journal(clock, options.journal, realClock);
  const random: Random = options.seed === undefined ? systemRandom : makeSeededRandom(options.seed);
  return {
    clock,
    realClock,
    random,
    realRandom: systemRandom,
    identifiers: new IdentifierGenerator(clock, random),
    inFlight,
    timeWaits: virtual ? new VirtualTimeWaits({ clock, realClock, inFlight, journal }) : realTimeWaits,
    journal,
    timeouts: makeTimeouts(options.timeScale, options.timeouts),
    // The clock's id is not made from the seed: another process may have the same seed, but it has another clock.
    ...(virtual ? { clockId: makeAlphanumericText(systemRandom, 16) } : {}),
  };
}
