import type { EndInFlight, InFlightTracker } from './in-flight.ts';

/** The maximum number of turns that can wait in one lane. It is far more than honest clients need. */
const longestQueue = 1_000;

/** Too many turns wait in a lane. */
export class TaskQueueFullError extends Error {}

/**
 * Runs a turn. Returns a promise that resolves when the turn has ended, or undefined if the turn ended during the call.
 */
type Turn = () => Promise<void> | undefined;

/**
 * Runs tasks that must not overlap. Each key has a lane. In a lane, one task at a time has its turn, in the order of
 * the calls. If the lane is free, `turn` starts the task before `turn` returns. If the task returns no promise, it has
 * also ended when `turn` returns.
 */
export class KeyedTaskQueue {
  readonly #inFlight: InFlightTracker;
  readonly #longest: number;
  /** For each lane with a running turn, the turns that wait behind the running turn. */
  readonly #waiting = new Map<string, Turn[]>();

  constructor(inFlight: InFlightTracker, longest = longestQueue) {
    this.#inFlight = inFlight;
    this.#longest = longest;
  }

  /** Rejects with TaskQueueFullError if too many turns wait in the lane. */
  turn<Result>(key: string, work: () => Result | Promise<Result>): Promise<Result> {
    const waiting = this.#waiting.get(key);
    if (waiting && waiting.length >= this.#longest)
      return Promise.reject(new TaskQueueFullError(`more than ${this.#longest} wait`));
    const done = this.#inFlight.begin();
    if (waiting)
      return new Promise((resolve, reject) => {
        waiting.push(() => {
          const { result, over } = runTurn(work, done);
          result.then(resolve, reject);
          return over;
        });
      });
    this.#waiting.set(key, []);
    const { result, over } = runTurn(work, done);
    this.#runNext(key, over);
    return result;
  }

  /** Runs the next turns of the lane once the running turn is over. */
  #runNext(key: string, underWay?: Promise<void>): void {
    if (underWay) return void underWay.then(() => this.#runNext(key));
    for (let next = this.#takeNext(key); next; next = this.#takeNext(key)) {
      const over = next();
      if (over) return this.#runNext(key, over);
    }
    this.#waiting.delete(key);
  }

  #takeNext(key: string): Turn | undefined {
    return this.#waiting.get(key)?.shift();
  }
}

/** Runs a turn. The code that awaits the turn's result continues before the next turn begins. */
function runTurn<Result>(work: () => Result | Promise<Result>, done: EndInFlight) {
  try {
    const result = work();
    if (result instanceof Promise) return { result, over: result.then(nothing, nothing).then(done) };
    done();
    return { result: Promise.resolve(result), over: undefined };
  } catch (error) {
    done();
    return { result: Promise.reject(error), over: undefined };
  }
}

function nothing(): void {}
