import type { Clock } from './clock.ts';
import type { InFlightTracker } from './in-flight.ts';
import type { Journal } from './journal.ts';
import type { IdentifierGenerator, Random } from './random.ts';
import type { TimeWaits } from './skipping/time-waits.ts';
import type { Timeouts } from './timeouts.ts';

/**
 * The runtime of every part of the program: clocks, random numbers, identifiers, the count of work in flight, the
 * journal, the timeouts.
 */
export interface Runtime {
  readonly clock: Clock;
  /**
   * Real time, even if `clock` is virtual. Use this clock to wait for a person, for a socket or for the end of the
   * process.
   */
  readonly realClock: Clock;
  readonly random: Random;
  /** Random numbers that differ from run to run, even if `random` is seeded. */
  readonly realRandom: Random;
  readonly identifiers: IdentifierGenerator;
  readonly inFlight: InFlightTracker;
  /** The reasons why virtual time stands still, and the parts that wait for virtual time to pass. */
  readonly timeWaits: TimeWaits;
  readonly journal: Journal;
  readonly timeouts: Timeouts;
  /**
   * The name of a virtual clock. The ends of a link tell each other their clock's name, because two ends with different
   * clocks cannot wait for each other's work.
   */
  readonly clockId?: string;
}
