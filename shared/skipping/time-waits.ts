import type { Clock } from '../clock.ts';
import type { EndInFlight, InFlightTracker } from '../in-flight.ts';
import type { Journal } from '../journal.ts';
import { ActivityTracker } from './activity.ts';
import { TimeHolds } from './holds.ts';
import type { TimeWait } from './next-step.ts';

/** The maximum virtual time that passes for a single wait, in milliseconds (B270). */
export const longestWaitMs = 600_000;

/** A terminal that waits for a person, with the state of its screen. */
interface AskedPerson {
  readonly terminal: string;
  readonly state: string;
}

/** The reasons why virtual time stands still, and the parts that wait for virtual time to pass. */
export interface TimeWaits {
  /** Undefined if time is real, because real time never stands still. */
  readonly activity: ActivityTracker | undefined;
  readonly holds: TimeHolds | undefined;
  /** Whether time moves by itself as long as something waits for time to pass. */
  readonly skipping: boolean;
  /** Registers that something waits for virtual time to pass. The wait is for at most `limitMs`. */
  wait(by: () => string, limitMs: number, fails?: boolean): EndInFlight;
  /**
   * Registers an event that will happen in `inMs` although no request waits for it. With the setting `settleMs`, time
   * moves to such events by itself.
   */
  due(inMs: number): EndInFlight;
  /** Registers `asked`, a function that gives the terminals that wait for a person. */
  asking(asked: () => readonly AskedPerson[]): EndInFlight;
  /**
   * As long as `acts` returns true, time does not move by itself, because some program is acting but has sent no
   * request yet. `acts` is called before each step.
   */
  standWhile(acts: () => boolean): EndInFlight;
}

const nothing: EndInFlight = () => {};

/** The waits when time is real. Nothing is registered, because real time never stands still. */
export const realTimeWaits: TimeWaits = {
  activity: undefined,
  holds: undefined,
  skipping: false,
  wait: () => nothing,
  due: () => nothing,
  asking: () => nothing,
  standWhile: () => nothing,
};

interface VirtualWaitsParts {
  readonly clock: Clock;
  readonly realClock: Clock;
  readonly inFlight: InFlightTracker;
  readonly journal: Journal;
}

/** The waits for virtual time. */
export class VirtualTimeWaits implements TimeWaits {
  readonly activity: ActivityTracker;
  readonly holds: TimeHolds;
  skipping = false;
  readonly #clock: Clock;
  readonly #waits = new Set<TimeWait>();
  readonly #due = new Set<{ readonly atMs: number }>();
  readonly #asking = new Set<() => readonly AskedPerson[]>();
  readonly #actingChecks = new Set<() => boolean>();
  readonly #listeners = new Set<() => void>();

  constructor(parts: VirtualWaitsParts) {
    this.#clock = parts.clock;
    this.activity = new ActivityTracker(parts.realClock, parts.journal);
    this.holds = new TimeHolds(parts);
    this.activity.listen(() => this.#callListeners());
  }

  wait(by: () => string, limitMs: number, fails = false): EndInFlight {
    const untilMs = this.#clock.monotonic() + Math.min(limitMs, longestWaitMs);
    return this.#register(this.#waits, { by: by(), untilMs, fails });
  }

  due(inMs: number): EndInFlight {
    return this.#register(this.#due, { atMs: this.#clock.monotonic() + inMs });
  }

  asking(asked: () => readonly AskedPerson[]): EndInFlight {
    return this.#register(this.#asking, asked);
  }

  standWhile(acts: () => boolean): EndInFlight {
    return this.#register(this.#actingChecks, acts);
  }

  /** Whether {@link isActing} has to be called before time moves. */
  get isWatching(): boolean {
    return this.#actingChecks.size > 0;
  }

  /** Whether some program is acting now but has sent no request yet. */
  isActing(): boolean {
    return [...this.#actingChecks].some((acts) => acts());
  }

  /**
   * Calls `listener` whenever something happens or a wait is added or ends. Returns a function that removes `listener`.
   */
  onChange(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** The waits for time that are not over. */
  list(): TimeWait[] {
    const now = this.#clock.monotonic();
    return [...this.#waits].filter(({ untilMs }) => untilMs >= now);
  }

  /** The moments of events that no request waits for. Only moments up to `untilMs` are given. */
  dueUntil(untilMs: number): number[] {
    return [...this.#due].map(({ atMs }) => atMs).filter((atMs) => atMs <= untilMs);
  }

  /** The terminals that wait for a person. */
  asked(): AskedPerson[] {
    return [...this.#asking].flatMap((asked) => asked());
  }

  #register<One>(to: Set<One>, one: One): EndInFlight {
    to.add(one);
    this.#callListeners();
    return () => {
      if (to.delete(one)) this.#callListeners();
    };
  }

  #callListeners(): void {
    for (const listener of this.#listeners) listener();
  }
}
