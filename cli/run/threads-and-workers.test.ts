import { expect, test } from 'vitest';
import { chooseThreadAndWorkerCounts } from './threads-and-workers.ts';

const flags = { repeat: 1, traces: 'traces' };

test('a run uses as many threads as cores, and four scenarios at a time in each', () => {
  expect(chooseThreadAndWorkerCounts(flags, 200, 2)).toEqual({ threads: 2, workers: 8 });
  expect(chooseThreadAndWorkerCounts({ ...flags, threads: 3 }, 200, 2)).toEqual({ threads: 3, workers: 12 });
});

test('--workers counts scenarios in total, and no thread is started without one', () => {
  expect(chooseThreadAndWorkerCounts({ ...flags, workers: 6 }, 200, 4)).toEqual({ threads: 4, workers: 6 });
  expect(chooseThreadAndWorkerCounts({ ...flags, workers: 1 }, 200, 4)).toEqual({ threads: 1, workers: 1 });
  expect(chooseThreadAndWorkerCounts({ ...flags, threads: 4 }, 2, 4)).toEqual({ threads: 2, workers: 16 });
});

test('a few scenarios are done before a thread could load', () => {
  expect(chooseThreadAndWorkerCounts(flags, 8, 4)).toMatchObject({ threads: 1 });
  expect(chooseThreadAndWorkerCounts(flags, 9, 4)).toMatchObject({ threads: 2 });
});

test.each([
  [{ slow: true }, { threads: 1, workers: 1 }],
  [{ tui: true }, { threads: 1, workers: 1 }],
  [{ update: true }, { threads: 1, workers: 4 }],
  [
    { gateway: 'http://127.0.0.1:8080', workers: 9 },
    { threads: 1, workers: 9 },
  ],
])('a run uses one thread with %j', (more, spread) => {
  expect(chooseThreadAndWorkerCounts({ ...flags, ...more }, 200, 4)).toEqual(spread);
});
