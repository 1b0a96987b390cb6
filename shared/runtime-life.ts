import type { Clock, TimerHandle } from './clock.ts';
import { type EndInFlight, type InFlightTracker, noInFlightTracking } from './in-flight.ts';
import { Journal } from './journal.ts';
import type { Runtime } from './runtime.ts';
import { realTimeWaits, type TimeWaits } from './skipping/time-waits.ts';

/**
 * One life of a part of the program. The life can end within the process, as if the part had been killed; then a new
 * life can begin. Everything that the part began on its runtime ends with the life. The part's timers never fire, its
 * work no longer counts as in flight, its waits for time end, and its code adds no further entries to the journal. The
 * clock, the random numbers and the journal continue to work for the rest of the program.
 */
export class EndableRuntime {
  /** The runtime for everything that belongs to this life. */
  readonly runtime: Runtime;
  readonly #clock: EndableClock;
  readonly #inFlight: EndableInFlight;
  readonly #timeWaits: { stop(): void };
  #over = false;

  constructor(given: Runtime) {
    this.#clock = endableClock(given.clock);
    this.#inFlight = new EndableInFlight(given.inFlight);
    const inFlight = given.inFlight === noInFlightTracking ? noInFlightTracking : this.#inFlight;
    const { timeWaits, stop } = endableWaits(given.timeWaits);
    this.#timeWaits = { stop };
    this.runtime = { ...given, clock: this.#clock.clock, inFlight, timeWaits };
  }

  get isOver(): boolean {
    return this.#over;
  }

  end(): void {
    this.#over = true;
    Object.assign(this.runtime, { journal: new Journal(this.runtime.realClock, { entries: 1 }) });
    this.#clock.stop();
    this.#inFlight.stop();
    this.#timeWaits.stop();
  }
}

interface EndableClock {
  readonly clock: Clock;
  /** Clears the timers of this clock. From then on, the clock sets no timers. */
  stop(): void;
}

/**
 * Makes a clock whose timers can all be ended together. Otherwise the new clock behaves like the given clock. A virtual
 * clock keeps its class.
 */
function endableClock(clock: Clock): EndableClock {
  const timers = new Set<TimerHandle>();
  let stopped = false;
  const own = {
    setTimeout(run: () => void, delayMs: number): TimerHandle {
      if (stopped) return undefined;
      const timer = clock.setTimeout(() => {
        timers.delete(timer);
        run();
      }, delayMs);
      timers.add(timer);
      return timer;
    },
    clearTimeout(timer: TimerHandle): void {
      timers.delete(timer);
      clock.clearTimeout(timer);
    },
  };
  return {
    clock: clock.virtual ? withMembers(clock, own) : { ...clock, ...own },
    stop() {
      stopped = true;
      for (const timer of timers) clock.clearTimeout(timer);
      timers.clear();
    },
  };
}

/**
 * Makes a copy of `given` with some members replaced. The copy has the same class, because code that advances a virtual
 * clock checks the class.
 */
function withMembers<Given extends object>(given: Given, own: Partial<Given>): Given {
  return new Proxy(given, {
    get(target, name) {
      if (Object.hasOwn(own, name)) return own[name as keyof Given];
      const value: unknown = Reflect.get(target, name, target);
      return typeof value === 'function' ? value.bind(target) : value;
    },
  });
}

/** The work that was begun in a life and is not done yet. All of this work ends together with the life. */
class WorkOfLife {
  readonly #begun = new Set<EndInFlight>();
  #stopped = false;

  /** Begins work, unless the life is over. Returns the function that ends the work. */
  begin(work: () => EndInFlight): EndInFlight {
    if (this.#stopped) return () => {};
    const end = work();
    const done = () => {
      this.#begun.delete(done);
      end();
    };
    this.#begun.add(done);
    return done;
  }

  stop(): void {
    this.#stopped = true;
    for (const done of [...this.#begun]) done();
  }
}

/**
 * Makes a copy of `given`. Everything that is registered with the copy, such as a wait for time, ends with the life.
 */
function endableWaits(given: TimeWaits): { timeWaits: TimeWaits; stop(): void } {
  if (given === realTimeWaits) return { timeWaits: given, stop() {} };
  const work = new WorkOfLife();
  const own: Pick<TimeWaits, 'wait' | 'due' | 'asking'> = {
    wait: (...waits) => work.begin(() => given.wait(...waits)),
    due: (inMs) => work.begin(() => given.due(inMs)),
    asking: (asked) => work.begin(() => given.asking(asked)),
  };
  return { timeWaits: withMembers(given, own), stop: () => work.stop() };
}

/**
 * Counts work in flight until the life ends. Messages on a link are still counted after that, because a link is counted
 * until both of its sockets are closed.
 */
class EndableInFlight implements InFlightTracker {
  readonly #given: InFlightTracker;
  readonly #work = new WorkOfLife();

  constructor(given: InFlightTracker) {
    this.#given = given;
  }

  begin(): EndInFlight {
    return this.#work.begin(() => this.#given.begin());
  }

  hold(): EndInFlight {
    return this.#work.begin(() => this.#given.hold());
  }

  opened(link: string): void {
    this.#given.opened(link);
  }

  sent(link: string): void {
    this.#given.sent(link);
  }

  arrived(link: string): void {
    this.#given.arrived(link);
  }

  closed(link: string): void {
    this.#given.closed(link);
  }

  stop(): void {
    this.#work.stop();
  }
}
