import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { testWith } from '../../test/optional-programs.ts';
import { StartError } from '../start-error.ts';
import { ThreadEndedError } from './job-thread.ts';
import type { TestJob, TestResult } from './jobs.fixture.ts';
import { ThreadPool } from './thread-pool.ts';

const program = new URL('./jobs.fixture.ts', import.meta.url);

/** Makes a pool. Each job in the calling thread waits until `release` is called. */
function aPool({ threads, workers }: { threads: number; workers: number }) {
  const started = new Int32Array(new SharedArrayBuffer(4));
  const ended: string[] = [];
  const held = Promise.withResolvers<void>();
  const pool = new ThreadPool<TestJob, TestResult>({
    ...{ name: 'test', program, data: started, threads, workers },
    here: async (_, worker) => {
      await held.promise;
      return { thread: 0, worker };
    },
    threadEnded: (why) => ended.push(why),
  });
  onTestFinished(() => {
    held.resolve();
    return pool.close();
  });
  return { pool, ended, release: () => held.resolve(), started: () => started[0] };
}

test('jobs are spread over the threads, each with a worker that no other job has', async () => {
  const { pool, release } = aPool({ threads: 3, workers: 5 });
  await pool.loaded();
  const jobs = Promise.all(Array.from({ length: 5 }, () => pool.run('run')));
  release();
  const results = await jobs;
  expect(results.map(({ worker }) => worker).sort()).toEqual([0, 1, 2, 3, 4]);
  const perThread = Object.groupBy(results, ({ thread }) => thread);
  expect(Object.values(perThread).map((each) => each?.length)).toEqual([2, 2, 1]);
  expect(perThread[0]?.map(({ worker }) => worker).sort()).toEqual([0, 3]);
});

test('more threads than workers are not started', async () => {
  const { pool, started, release } = aPool({ threads: 8, workers: 2 });
  release();
  await pool.loaded();
  await pool.close();
  expect(started()).toBe(1);
});

test('jobs that find no free worker wait until one is free', async () => {
  const { pool, release } = aPool({ threads: 2, workers: 2 });
  const results = Promise.all(Array.from({ length: 6 }, () => pool.run('run')));
  await pool.loaded();
  const soon = await Promise.race([results, pool.run('run')]);
  expect(soon).toMatchObject({ worker: 1 });
  release();
  expect((await results).map(({ worker }) => worker)).toEqual([0, 1, 1, 1, 1, 1]);
});

test('if a thread ends, its jobs fail, and the other threads run those that wait', async () => {
  const { pool, ended, release } = aPool({ threads: 2, workers: 2 });
  await pool.loaded();
  const held = pool.run('run');
  const failed = expect(pool.run('end the thread')).rejects.toThrow(ThreadEndedError);
  const waiting = pool.run('run');
  await failed;
  expect(ended).toEqual(['it ended']);
  release();
  expect([await held, await waiting]).toEqual([
    { thread: 0, worker: 0 },
    { thread: 0, worker: 0 },
  ]);
});

test('an error of a job is the same in the calling thread', async () => {
  const { pool } = aPool({ threads: 2, workers: 2 });
  await pool.loaded();
  void pool.run('run'); // this job keeps the calling thread busy, so the next job runs in another thread
  const refused = await pool.run('fail as the user can see').catch((error) => error);
  expect(refused).toBeInstanceOf(StartError);
  expect(refused.message).toBe('there is no such card');
  const failed = await pool.run('fail').catch((error) => error);
  expect(failed).not.toBeInstanceOf(StartError);
  expect(failed).toMatchObject({ message: 'a defect', stack: expect.stringContaining('jobs.fixture') });
});

test('the jobs of a thread are asked to end early', async () => {
  const { pool, release } = aPool({ threads: 2, workers: 2 });
  await pool.loaded();
  const jobs = [pool.run('run'), pool.run('wait for stop')];
  pool.stop();
  expect(await jobs[1]).toMatchObject({ worker: 1 });
  release();
  await jobs[0];
});

testWith('prlimit')('if the process can start no more threads, the calling thread runs all jobs', () => {
  const program = join(import.meta.dirname, 'pool-without-threads.fixture.ts');
  const { status, stdout, stderr } = spawnSync(process.execPath, [program], { encoding: 'utf8' });
  expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
  const why = expect.stringMatching(/^it could not start: .*EAGAIN$/);
  const result = { thread: 0, worker: 0 };
  expect(JSON.parse(stdout)).toEqual({ ended: [why, why], results: [result, result, result] });
});
