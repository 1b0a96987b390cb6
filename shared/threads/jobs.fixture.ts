import { threadId, workerData } from 'node:worker_threads';
import { StartError } from '../start-error.ts';
import type { JobThreadData } from './job-thread.ts';
import { serveJobs } from './serve-jobs.ts';

/** The jobs of the threads in tests. */
export type TestJob = 'end the thread' | 'fail' | 'fail as the user can see' | 'wait for stop' | 'run';

/** The numbers of the thread and of the worker that ran a job. */
export interface TestResult {
  readonly thread: number;
  readonly worker: number;
}

/** The first number of `data` is the number of threads that were started. Each thread adds 1. */
const { data } = workerData as JobThreadData & { readonly data: Int32Array };
Atomics.add(data, 0, 1);

const stopped = Promise.withResolvers<void>();

serveJobs<TestJob, TestResult>({
  async run(job, worker) {
    if (job === 'end the thread') process.exit(3);
    if (job === 'fail') throw new TypeError('a defect');
    if (job === 'fail as the user can see') throw new StartError('there is no such card');
    if (job === 'wait for stop') await stopped.promise;
    return { thread: threadId, worker };
  },
  stop: () => stopped.resolve(),
});
