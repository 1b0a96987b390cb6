import { ThreadEndedError } from '../../shared/threads/job-thread.ts';
import { ThreadPool, workersOfThread } from '../../shared/threads/thread-pool.ts';
import type { Schedule } from '../plan/schedule.ts';
import { RunMaker, type RunMakerDependencies, type RunRequest, type RunSettings } from '../run/run-maker.ts';
import type { RunRecord } from '../run/run-record.ts';
import type { RunThreadData } from './serve-runs.ts';

/** The number of threads that the user wants for the runs, and the program of these threads. */
export interface ThreadCountAndProgram {
  readonly count: number;
  /** The program of the additional threads. It calls `serveRuns`. */
  readonly program: URL;
}

interface RunThreadsOptions extends RunMakerDependencies {
  /** The number of runs that are made at the same time, in all threads together. */
  readonly workers: number;
  /** If absent, all runs are made in this thread. */
  readonly threads?: ThreadCountAndProgram;
  /** The schedules to run, if they are known already. */
  readonly only?: readonly Schedule[];
  /** Called when a thread has ended because of an error. */
  threadEnded?(why: string): void;
}

/**
 * Makes the runs of an exploration in several threads. If a thread ends, another thread makes the unfinished runs of
 * that thread again.
 */
export class RunThreadPool {
  /** Makes the runs of this thread. Worker 0 belongs to this thread. */
  readonly here: RunMaker;
  readonly #pool: ThreadPool<RunRequest, RunRecord>;

  private constructor(here: RunMaker, pool: ThreadPool<RunRequest, RunRecord>) {
    this.here = here;
    this.#pool = pool;
  }

  static async start(settings: RunSettings, options: RunThreadsOptions): Promise<RunThreadPool> {
    const { arena, workers, stopped, threadEnded } = options;
    const threads = usefulThreads(options);
    const spread = { threads: threads.count, workers };
    const here = await RunMaker.start(settings, options, workersOfThread(0, spread));
    const pool = new ThreadPool<RunRequest, RunRecord>({
      ...spread,
      name: 'runs',
      program: threads.program,
      data: arena.local && ({ settings, arena: arena.local } satisfies RunThreadData),
      here: (order, worker) => here.make(order, worker),
      threadEnded,
    });
    stopped.addEventListener('abort', () => pool.stop(), { once: true });
    return new RunThreadPool(here, pool);
  }

  /** Makes a run in the thread that has the most idle workers. */
  async make(order: RunRequest): Promise<RunRecord> {
    for (;;)
      try {
        return await this.#pool.run(order);
      } catch (error) {
        if (!(error instanceof ThreadEndedError)) throw error;
      }
  }

  /** Ends the running commands and the threads. Resolves when all of them have ended. */
  async close(): Promise<void> {
    await Promise.all([this.here.close(), this.#pool.close()]);
  }
}

/**
 * Returns the number of threads that can be busy at the same time. It is 1 for a gateway that was already running,
 * because only one run at a time may use that gateway.
 */
function usefulThreads({
  arena,
  threads,
  workers,
  only,
}: RunThreadsOptions): Partial<ThreadCountAndProgram> & { count: number } {
  if (!arena.local || !threads) return { count: 1 };
  return { ...threads, count: Math.min(threads.count, workers, only?.length ?? workers) };
}
