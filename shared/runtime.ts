import type { Clock } from './clock.ts';
import type { InFlight } from './in-flight.ts';
import type { Journal } from './journal.ts';
import type { Identifiers, Random } from './random.ts';
import type { TimeWaits } from './skipping/time-waits.ts';
import type { Timeouts } from './timeouts.ts';

/** What every part stands on and is handed: time, chance, what is in flight, the journal, the timeouts. */
export interface Runtime {
  readonly clock: Clock;
  /** Real time also where `clock` is virtual: for what a person, a socket or the end of the process waits for. */
  readonly realClock: Clock;
  readonly random: Random;
  /** Chance also where `random` is seeded: for what must differ from one run to the next. */
  readonly realRandom: Random;
  readonly identifiers: Identifiers;
  readonly inFlight: InFlight;
  /** What time waits for, and who waits for time, where it is virtual. */
  readonly timeWaits: TimeWaits;
  readonly journal: Journal;
  readonly timeouts: Timeouts;
  /** Names a virtual clock; links announce it, because ends with different clocks cannot settle together. */
  readonly clockId?: string;
}
