import type { ScenarioClock } from './scenario-time.ts';

interface Waiter {
  /** Returns a value once the wait is over. If `check` throws an error, the wait fails with this error. */
  check(): Promise<unknown>;
  deadline: number;
  /** Whether the wait succeeds when it reaches its deadline. If false, it fails at its deadline. */
  passing: boolean;
  /** Makes the error with which a wait fails at its deadline. */
  onTimeout(): Promise<Error> | Error;
  resolve(value: unknown): void;
  reject(error: unknown): void;
}

/**
 * Lets the branches of a scenario act one at a time, in a fixed order. Moves time only if no branch can act. So a
 * scenario with parallel branches has the same result every time.
 */
export class BranchScheduler {
  #time: ScenarioClock;
  #oneAtATime: boolean;
  #waiters: Waiter[] = [];
  /** The number of branches that are acting now. It is 0 or 1. */
  #acting = 0;
  #scheduling = false;

  /**
   * @param oneAtATime false for a test program that waits, because the scheduler cannot know how many branches the
   * program has
   */
  constructor(time: ScenarioClock, { oneAtATime = true }: { oneAtATime?: boolean } = {}) {
    this.#time = time;
    this.#oneAtATime = oneAtATime;
  }

  get time(): ScenarioClock {
    return this.#time;
  }

  /**
   * Waits until `check` returns a value. During the wait, the other branches act. If no branch can act, time moves
   * on, by at most `limitMs`.
   *
   * @throws the error of `check`, or the error that `onTimeout` makes once the limit is reached
   */
  until<Found>(
    check: () => Promise<Found | undefined> | Found | undefined,
    limitMs: number,
    onTimeout: () => Promise<Error> | Error = () => new Error('nothing came'),
  ): Promise<Found> {
    return this.#wait(async () => check(), {
      deadline: this.#time.now() + limitMs,
      passing: false,
      onTimeout,
    });
  }

  /**
   * Lets `ms` milliseconds pass. Everything that is due within this time happens, and the other branches react to it.
   */
  pass(ms: number): Promise<true> {
    const deadline = this.#time.now() + ms;
    const passed = async () => (this.#time.now() >= deadline ? (true as const) : undefined);
    const onTimeout = () => new Error('time did not pass');
    return this.#wait(passed, { deadline, passing: true, onTimeout });
  }

  /** Starts a branch. The branch acts whenever the other branches wait. */
  branch<Result>(run: () => Promise<Result>): Promise<Result> {
    const started = new Promise<void>((resolve, reject) => {
      this.#waiters.push({
        check: async () => true,
        deadline: Number.POSITIVE_INFINITY,
        passing: false,
        onTimeout: () => new Error('never started'),
        resolve: () => resolve(),
        reject,
      });
      void this.#schedule();
    });
    return started.then(run).finally(() => {
      this.#acting = Math.max(0, this.#acting - 1);
      void this.#schedule();
    });
  }

  #wait<Found>(
    check: () => Promise<Found | undefined>,
    until: Pick<Waiter, 'deadline' | 'passing' | 'onTimeout'>,
  ): Promise<Found> {
    return new Promise<Found>((resolve, reject) => {
      this.#waiters.push({ check, ...until, resolve: resolve as (value: unknown) => void, reject });
      this.#acting = Math.max(0, this.#acting - 1);
      void this.#schedule();
    });
  }

  async #schedule(): Promise<void> {
    if (this.#scheduling) return;
    this.#scheduling = true;
    try {
      while (this.#acting === 0 && this.#waiters.length > 0) {
        await this.#time.settled();
        if (await this.#runNext()) continue;
        const untilMs = Math.min(...this.#waiters.map(({ deadline }) => deadline));
        const failing = this.#waiters.find(({ deadline, passing }) => deadline === untilMs && !passing);
        await this.#time.step(untilMs, failing);
      }
    } finally {
      this.#scheduling = false;
    }
  }

  /**
   * Continues the first branch whose wait is over. If there is no such branch, rejects the first wait that took too
   * long.
   */
  async #runNext(): Promise<boolean> {
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
    const why = await late.onTimeout();
    this.#release(late, () => late.reject(why));
    return true;
  }

  #release(waiter: Waiter, act: () => void): void {
    this.#waiters = this.#waiters.filter((other) => other !== waiter);
    if (this.#oneAtATime) this.#acting++;
    act();
  }
}
