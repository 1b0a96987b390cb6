import type { Done, InFlight } from './in-flight.ts';

/** So many turns may wait in one lane: far more than honest use brings. */
const longestQueue = 1_000;

/** More waits in a lane than it takes. */
export class LaneFull extends Error {}

/** Resolves once it is over, where it is not at once. */
type Turn = () => Promise<void> | undefined;

/**
 * What must not be decided side by side takes turns: one lane for each key, one turn at a time in it, in the order they
 * came. A turn that has nothing to wait for is over at once, and where its lane is free it has happened when `turn`
 * returns.
 */
export class Lanes {
  readonly #inFlight: InFlight;
  readonly #longest: number;
  /** The turns that wait behind the one under way, in each lane that has one. */
  readonly #waiting = new Map<string, Turn[]>();

  constructor(inFlight: InFlight, longest = longestQueue) {
    this.#inFlight = inFlight;
    this.#longest = longest;
  }

  /** @throws LaneFull */
  turn<Result>(key: string, work: () => Result | Promise<Result>): Promise<Result> {
    const waiting = this.#waiting.get(key);
    if (waiting && waiting.length >= this.#longest)
      return Promise.reject(new LaneFull(`more than ${this.#longest} wait`));
    const done = this.#inFlight.begin();
    if (waiting)
      return new Promise((resolve, reject) => {
        waiting.push(() => {
          const { result, over } = taken(work, done);
          result.then(resolve, reject);
          return over;
        });
      });
    this.#waiting.set(key, []);
    const { result, over } = taken(work, done);
    this.#goOn(key, over);
    return result;
  }

  /** Takes the next turns, once that under way is over. */
  #goOn(key: string, underWay?: Promise<void>): void {
    if (underWay) return void underWay.then(() => this.#goOn(key));
    for (let next = this.#next(key); next; next = this.#next(key)) {
      const over = next();
      if (over) return this.#goOn(key, over);
    }
    this.#waiting.delete(key);
  }

  #next(key: string): Turn | undefined {
    return this.#waiting.get(key)?.shift();
  }
}

/** A turn that is taken; who waits for its result goes on before the next begins. */
function taken<Result>(work: () => Result | Promise<Result>, done: Done) {
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
