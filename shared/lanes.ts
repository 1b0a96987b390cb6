import type { InFlight } from './in-flight.ts';

/** So many turns may wait in one lane: far more than honest use brings. */
const longestQueue = 1_000;

/** More waits in a lane than it takes. */
export class LaneFull extends Error {}

interface Lane {
  queue: (() => Promise<void> | undefined)[];
  busy: boolean;
}

/**
 * What must not be decided side by side takes turns: one lane for each key, one turn at a time in it, in the order they
 * came. A turn that has nothing to wait for is over at once, and where its lane is free it has happened when `turn`
 * returns.
 */
export class Lanes {
  readonly #inFlight: InFlight;
  readonly #longest: number;
  readonly #lanes = new Map<string, Lane>();

  constructor(inFlight: InFlight, longest = longestQueue) {
    this.#inFlight = inFlight;
    this.#longest = longest;
  }

  /** @throws LaneFull */
  turn<Result>(key: string, work: () => Result | Promise<Result>): Promise<Result> {
    const lane = this.#lanes.get(key) ?? { queue: [], busy: false };
    if (lane.queue.length >= this.#longest)
      return Promise.reject(new LaneFull(`more than ${this.#longest} wait`));
    this.#lanes.set(key, lane);
    const done = this.#inFlight.begin();
    return new Promise<Result>((resolve, reject) => {
      lane.queue.push(() => {
        try {
          const result = work();
          if (result instanceof Promise) return result.then(resolve, reject).then(done);
          resolve(result);
        } catch (error) {
          reject(error);
        }
        done();
        return undefined;
      });
      if (!lane.busy) this.#run(key, lane);
    });
  }

  #run(key: string, lane: Lane): void {
    lane.busy = true;
    for (let turn = lane.queue.shift(); turn; turn = lane.queue.shift()) {
      const over = turn();
      if (over) return void over.then(() => this.#run(key, lane));
    }
    lane.busy = false;
    this.#lanes.delete(key);
  }
}
