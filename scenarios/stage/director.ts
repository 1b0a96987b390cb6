import type { StageTime } from './stage-time.ts';

/** A wait is over its limit; `saw` says what was there instead. */
export class WaitedInVain extends Error {
  readonly limitMs: number;
  constructor(what: string, limitMs: number) {
    super(what);
    this.limitMs = limitMs;
  }
}

interface Waiter {
  /** Gives something once the wait is over; throws to end it in failure. */
  check(): Promise<unknown>;
  deadline: number;
  /** What is told when the deadline passes. */
  inVain(): Promise<Error> | Error;
  resolve(value: unknown): void;
  reject(error: unknown): void;
}

/**
 * Lets the branches of a play act one at a time, in a fixed order, and moves time only when none of them can go
 * on. That is what makes a story with parallel branches come out the same every time.
 */
export class Director {
  #time: StageTime;
  #oneAtATime: boolean;
  #waiters: Waiter[] = [];
  /** Branches that are acting: at most one. */
  #acting = 0;
  #directing = false;

  /** @param oneAtATime false where the waits come from a program of its own, whose branches nobody counts */
  constructor(time: StageTime, { oneAtATime = true }: { oneAtATime?: boolean } = {}) {
    this.#time = time;
    this.#oneAtATime = oneAtATime;
  }

  get time(): StageTime {
    return this.#time;
  }

  /**
   * Waits until `check` gives something. While it waits the other branches act, and where none can, time moves
   * on, by `limitMs` at most.
   *
   * @throws what `inVain` says, or WaitedInVain
   */
  until<Found>(
    check: () => Promise<Found | undefined> | Found | undefined,
    limitMs: number,
    inVain: () => Promise<Error> | Error = () => new WaitedInVain('nothing came', limitMs),
  ): Promise<Found> {
    return new Promise<Found>((resolve, reject) => {
      this.#waiters.push({
        check: async () => check(),
        deadline: this.#time.now() + limitMs,
        inVain,
        resolve: resolve as (value: unknown) => void,
        reject,
      });
      this.#acting = Math.max(0, this.#acting - 1);
      void this.#direct();
    });
  }

  /** Lets so much time pass; everything that falls due on the way happens, and the other branches act on it. */
  pass(ms: number): Promise<true> {
    const target = this.#time.now() + ms;
    return this.until(() => (this.#time.now() >= target ? true : undefined), ms);
  }

  /** Starts a branch that acts whenever the others wait. */
  branch<Result>(play: () => Promise<Result>): Promise<Result> {
    const started = new Promise<void>((resolve, reject) => {
      this.#waiters.push({
        check: async () => true,
        deadline: Number.POSITIVE_INFINITY,
        inVain: () => new Error('never started'),
        resolve: () => resolve(),
        reject,
      });
      void this.#direct();
    });
    return started.then(play).finally(() => {
      this.#acting = Math.max(0, this.#acting - 1);
      void this.#direct();
    });
  }

  async #direct(): Promise<void> {
    if (this.#directing) return;
    this.#directing = true;
    try {
      while (this.#acting === 0 && this.#waiters.length > 0) {
        await this.#time.settled();
        if (await this.#letSomebodyAct()) continue;
        await this.#time.step(Math.min(...this.#waiters.map(({ deadline }) => deadline)));
      }
    } finally {
      this.#directing = false;
    }
  }

  /** The first in line whose wait is over acts; where there is none, the first who waited too long hears so. */
  async #letSomebodyAct(): Promise<boolean> {
    for (const waiter of this.#waiters) {
      try {
        const found = await waiter.check();
        if (found === undefined) continue;
        this.#release(waiter, () => waiter.resolve(found));
      } catch (error) {
        this.#release(waiter, () => waiter.reject(error));
      }
      return true;
    }
    const late = this.#waiters.find(({ deadline }) => deadline <= this.#time.now());
    if (!late) return false;
    const why = await late.inVain();
    this.#release(late, () => late.reject(why));
    return true;
  }

  #release(waiter: Waiter, act: () => void): void {
    this.#waiters = this.#waiters.filter((other) => other !== waiter);
    if (this.#oneAtATime) this.#acting++;
    act();
  }
}
