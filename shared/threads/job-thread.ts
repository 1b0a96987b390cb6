import { getCompileCacheDir } from 'node:module';
import { Worker } from 'node:worker_threads';
import { StartError } from '../start-error.ts';

/** The message with which a job is sent to a thread. */
export interface SentJob<Job> {
  readonly id: number;
  readonly job: Job;
  readonly worker: number;
}

/** The error with which a job failed, as plain data. */
interface Problem {
  readonly message: string;
  readonly stack: string | undefined;
  /** Whether the error is a StartError, which means that the user can correct the fault. */
  readonly isStartError: boolean;
}

/** A thread's answer to a job. */
export type JobAnswer<Result> = { readonly id: number } & (
  | { readonly result: Result }
  | { readonly problem: Problem }
);

/** The `workerData` of a thread's program. */
export interface JobThreadData {
  /** The numbers of the workers whose jobs the thread runs. */
  readonly workers: readonly number[];
  /** The plain data for the thread's program. */
  readonly data: unknown;
}

interface JobThreadOptions extends JobThreadData {
  readonly name: string;
  readonly program: URL;
  /**
   * Called when the thread has ended. The jobs that the thread was running fail after this call. `why` is undefined if
   * the thread was closed.
   */
  ended(why: string | undefined): void;
}

/** The error of a job whose thread ended before the job ended. The message says why the thread ended. */
export class ThreadEndedError extends Error {}

interface Asked<Result> {
  resolve(result: Result): void;
  reject(error: Error): void;
}

/** One additional thread. Its program calls `serveJobs`. */
export class JobThread<Job, Result> {
  /** Resolves when the thread is ready to run jobs. If the thread cannot start, this never resolves. */
  readonly ready: Promise<void>;
  /** Resolves when the thread has ended. */
  readonly over: Promise<void>;
  readonly #worker: Worker;
  #jobs = 0;
  readonly #running = new Map<number, Asked<Result>>();
  #closes = false;
  #why = 'it ended';

  constructor({ name, program, workers, data, ended }: JobThreadOptions) {
    // A thread uses the process's compile cache only if an environment variable names the folder of the cache.
    const compiled = getCompileCacheDir();
    const env = compiled === undefined ? process.env : { ...process.env, NODE_COMPILE_CACHE: compiled };
    this.#worker = new Worker(program, { name, env, workerData: { workers, data } satisfies JobThreadData });
    const ready = Promise.withResolvers<void>();
    const over = Promise.withResolvers<void>();
    this.ready = ready.promise;
    this.over = over.promise;
    this.#worker.on('message', (said: 'ready' | JobAnswer<Result>) => {
      if (said === 'ready') ready.resolve();
      else this.#answered(said);
    });
    this.#worker.on('error', (error) => {
      this.#why = String(error);
    });
    this.#worker.once('exit', () => {
      ended(this.#closes ? undefined : this.#why);
      for (const { reject } of this.#running.values()) reject(new ThreadEndedError(this.#why));
      this.#running.clear();
      over.resolve();
    });
  }

  /**
   * @param worker the number of the job's worker; no other running job has the same number
   * @throws ThreadEndedError if the thread ends before the job
   */
  run(job: Job, worker: number): Promise<Result> {
    const id = this.#jobs++;
    this.#worker.postMessage({ id, job, worker } satisfies SentJob<Job>);
    return new Promise((resolve, reject) => this.#running.set(id, { resolve, reject }));
  }

  /** Asks the thread's program to end its jobs early. */
  stop(): void {
    this.#worker.postMessage('stop');
  }

  /** Lets the thread finish its jobs and end. Resolves when it has ended. */
  close(): Promise<void> {
    this.#closes = true;
    this.#worker.postMessage('close');
    return this.over;
  }

  #answered(answer: JobAnswer<Result>): void {
    const asked = this.#running.get(answer.id);
    this.#running.delete(answer.id);
    if ('result' in answer) asked?.resolve(answer.result);
    else asked?.reject(errorOf(answer.problem));
  }
}

function errorOf({ message, stack, isStartError }: Problem): Error {
  if (isStartError) return new StartError(message);
  return Object.assign(new Error(message), { stack });
}
