import { refuseThreads } from '../../test/refuse-threads.ts';
import type { TestJob, TestResult } from './jobs.fixture.ts';
import { ThreadPool } from './thread-pool.ts';

/** Runs jobs while the process can start no thread. Prints the threads that could not start, and the jobs' workers. */
await refuseThreads();
const ended: string[] = [];
const pool = new ThreadPool<TestJob, TestResult>({
  ...{ name: 'test', program: new URL('./jobs.fixture.ts', import.meta.url), threads: 3, workers: 3 },
  here: async (_, worker) => ({ thread: 0, worker }),
  threadEnded: (why) => ended.push(why),
});
await pool.loaded();
const results = await Promise.all(Array.from({ length: 3 }, () => pool.run('run')));
pool.stop();
await pool.close();
console.log(JSON.stringify({ ended, results }));
