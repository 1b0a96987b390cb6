import type { ScenarioTime } from './scenario-time.ts';

interface Waiter {
  /** Returns a value once the wait is over. If this throws an error, the wait ends with the error. */
  check(): Promise<unknown>;
  deadline: number;
  /** Whether the wait succeeds at its deadline, instead of failing. */
  passing: boolean;
  /** Makes the error for a wait that reaches its deadline. */
  onTimeout(): Promise<Error> | Error;
  resolve(value: unknown): void;
  reject(error: unknown): void;
}

/**
 * Lets the branches of a scenario act one at a time, in a fixed order, and moves time only if none of them can go on. A
 * scenario with parallel branches then has the same result every time.
 */
export class Scheduler {
  #time: ScenarioTime;
  #oneAtATime: boolean;
  #waiters: Waiter[] = [];
  /** The number of branches that are acting: at most one. */
  #acting = 0;
  #scheduling = false;

  /** @param oneAtATime false if a test program makes the waits, because the branches of a program are not counted */
  constructor(time: ScenarioTime, { oneAtATime = true }: { oneAtATime?: boolean } = {}) {
    this.#time = time;
    this.#oneAtATime = oneAtATime;
  }

  get time(): ScenarioTime {
    return this.#time;
  }

  /**
   * Waits until `check` returns a value. Meanwhile the other branches act; if none of them can, time moves on, at most
   * by `limitMs`.
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

  /** Lets `ms` milliseconds pass. Everything that falls due meanwhile happens, and the other branches react to it. */
  pass(ms: number): Promise<true> {
    const deadline = this.#time.now() + ms;
    const passed = async () => (this.#time.now() >= deadline ? (true as const) : undefined);
    const onTimeout = () => new Error('time did not pass');
    return this.#wait(passed, { deadline, passing: true, onTimeout });
  }

  /** Starts a branch that acts whenever the other branches wait. */
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

  /** Continues the first branch whose wait is over. If there is none, rejects the first wait that took too long. */
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
