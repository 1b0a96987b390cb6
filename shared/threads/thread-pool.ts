import { JobThread } from './job-thread.ts';

/** How many threads a pool has, and how many jobs it runs at the same time. */
export interface ThreadPoolSize {
  /** The number of threads in all, including this thread, which runs jobs too. */
  readonly threads: number;
  /**
   * The number of jobs that run at the same time in all threads together. There are never more threads than workers.
   */
  readonly workers: number;
}

interface ThreadPoolOptions<Job, Result> extends ThreadPoolSize {
  /** The first word of the threads' names. */
  readonly name: string;
  /**
   * The program of the additional threads. It has to call `serveJobs`. If there is only one thread, it can be absent.
   */
  readonly program?: URL;
  /** Plain data for the program. */
  readonly data?: unknown;
  /** Runs a job in this thread. */
  here(job: Job, worker: number): Promise<Result>;
  /** Called if an additional thread could not start, or ended before it was closed. */
  threadEnded?(why: string): void;
}

/** A thread that runs jobs: an additional one, or this thread itself. */
interface Lane<Job, Result> {
  /** The numbers of the thread's workers that have no job now. */
  readonly free: number[];
  run(job: Job, worker: number): Promise<Result>;
}

/** A worker that was chosen for a job. */
interface Slot<Job, Result> {
  readonly lane: Lane<Job, Result>;
  readonly worker: number;
}

/**
 * Runs jobs on several threads. A thread gets no jobs while it is still loading. If a thread ends, only the jobs that
 * it was running fail.
 */
export class ThreadPool<Job, Result> {
  readonly #lanes: Lane<Job, Result>[];
  readonly #threads: JobThread<Job, Result>[];
  readonly #waiting: ((slot: Slot<Job, Result>) => void)[] = [];

  constructor(options: ThreadPoolOptions<Job, Result>) {
    const { threads, workers, program, here } = options;
    this.#lanes = [{ free: workersOfThread(0, options), run: here }];
    const more = Array.from({ length: Math.min(threads, workers) - 1 }, (_, index) => index + 1);
    this.#threads = program ? more.flatMap((number) => this.#startIfPossible(number, program, options)) : [];
  }

  /**
   * Runs a job in the thread with the most free workers.
   *
   * @throws ThreadEndedError if the job's thread ended
   */
  async run(job: Job): Promise<Result> {
    const { lane, worker } = await this.#freeSlot();
    try {
      return await lane.run(job, worker);
    } finally {
      lane.free.unshift(worker);
      if (this.#lanes.includes(lane)) this.#handOut(lane);
    }
  }

  /** Asks the programs of the threads to end their jobs early. */
  stop(): void {
    for (const thread of this.#threads) thread.stop();
  }

  /** Lets the threads finish their jobs and end. Resolves when they have ended. */
  async close(): Promise<void> {
    await Promise.all(this.#threads.map((thread) => thread.close()));
  }

  /**
   * Resolves when no thread is loading. Only then can the process exit safely: the process would crash if a thread
   * ended while it was loading SQLite.
   */
  async loaded(): Promise<void> {
    await Promise.all(this.#threads.map((thread) => Promise.race([thread.ready, thread.over])));
  }

  /** Starts a thread. Returns an empty list if the process may start no more threads. */
  #startIfPossible(
    number: number,
    program: URL,
    options: ThreadPoolOptions<Job, Result>,
  ): JobThread<Job, Result>[] {
    try {
      return [this.#start(number, program, options)];
    } catch (error) {
      if (!(error instanceof Error && 'code' in error && error.code === 'ERR_WORKER_INIT_FAILED'))
        throw error;
      options.threadEnded?.(`it could not start: ${error.message}`);
      return [];
    }
  }

  #start(number: number, program: URL, options: ThreadPoolOptions<Job, Result>): JobThread<Job, Result> {
    const { name, data, threadEnded } = options;
    const workers = workersOfThread(number, options);
    const lane: Lane<Job, Result> = { free: [...workers], run: (job, worker) => thread.run(job, worker) };
    const thread = new JobThread<Job, Result>({
      ...{ name: `${name} ${number + 1}`, program, workers, data },
      ended: (why) => {
        if (this.#lanes.includes(lane)) this.#lanes.splice(this.#lanes.indexOf(lane), 1);
        if (why !== undefined) threadEnded?.(why);
      },
    });
    void thread.ready.then(() => {
      this.#lanes.push(lane);
      this.#handOut(lane);
    });
    return thread;
  }

  /**
   * Returns a worker of the thread with the most free workers. If no worker is free, resolves when a worker is free.
   */
  #freeSlot(): Slot<Job, Result> | Promise<Slot<Job, Result>> {
    const lane = this.#lanes.reduce((most, each) => (each.free.length > most.free.length ? each : most));
    const worker = lane.free.shift();
    return worker === undefined ? new Promise((resolve) => this.#waiting.push(resolve)) : { lane, worker };
  }

  /** Gives the free workers of a thread to the jobs that wait. */
  #handOut(lane: Lane<Job, Result>): void {
    while (lane.free.length > 0 && this.#waiting.length > 0)
      this.#waiting.shift()?.({ lane, worker: lane.free.shift() as number });
  }
}

/** Returns the numbers of a thread's workers. No two threads have the same worker. Thread 0 is the calling thread. */
export function workersOfThread(thread: number, { threads, workers }: ThreadPoolSize): number[] {
  const all = Array.from({ length: workers }, (_, worker) => worker);
  return all.filter((worker) => worker % Math.min(threads, workers) === thread);
}
