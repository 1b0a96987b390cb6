import { describe, expect, test } from 'vitest';
import type { Clock } from './clock.ts';
import { computeMsLeft, computeMsUntil, DeadlineScheduler } from './deadlines.ts';
import { VirtualClock } from './virtual-clock.ts';

function setup() {
  const clock = new VirtualClock({ startMs: 1_000_000 });
  const ran: string[] = [];
  const deadlines = new DeadlineScheduler(clock, { run: (id) => void ran.push(`${id} ${clock.now()}`) });
  return { clock, ran, deadlines };
}

test('each deadline fires at its own time, and one in the past fires at once', async () => {
  const { clock, ran, deadlines } = setup();
  deadlines.set('later', 5_000);
  deadlines.set('past', 0);
  await clock.advance(10_000);
  expect(ran).toEqual(['past 1000000', 'later 1005000']);
});

test('setting a deadline again moves it, and clearing removes it', async () => {
  const { clock, ran, deadlines } = setup();
  deadlines.set('moved', 1_000);
  deadlines.set('moved', 2_000);
  deadlines.set('cleared', 1_000);
  deadlines.clear('cleared');
  await clock.advance(10_000);
  expect(ran).toEqual(['moved 1002000']);
});

test('after a stop no deadline fires', async () => {
  const { clock, ran, deadlines } = setup();
  deadlines.set('a', 1_000);
  deadlines.stop();
  deadlines.set('b', 1_000);
  deadlines.doNow('c');
  await clock.advance(10_000);
  expect(ran).toEqual([]);
});

test('a timer that fires a little early is set again, so that no deadline fires early', () => {
  let now = 1_000_000;
  let fire = () => {};
  const early: Clock = {
    virtual: false,
    now: () => 0,
    monotonic: () => now,
    elapsedSince: () => 0,
    setTimeout: (run) => {
      fire = run;
      return run;
    },
    clearTimeout: () => {},
  };
  const ran: number[] = [];
  const deadlines = new DeadlineScheduler(early, { run: () => void ran.push(now) });
  deadlines.set('a', 2_000);
  now = 1_001_999;
  fire();
  expect(ran).toEqual([]);
  now = 1_002_000;
  fire();
  expect(ran).toEqual([1_002_000]);
});

describe('work that fails', () => {
  function failing(times: number) {
    const clock = new VirtualClock({ startMs: 0 });
    const tried: number[] = [];
    const failures: number[] = [];
    const deadlines = new DeadlineScheduler(clock, {
      run: async () => {
        tried.push(clock.now());
        if (tried.length <= times) throw new Error('no room');
      },
      failed: (_, __, count) => failures.push(count),
    });
    return { clock, tried, failures, deadlines };
  }

  test('is repeated after 1 s, 2 s and so on up to 30 s, until it succeeds', async () => {
    const { clock, tried, failures, deadlines } = failing(7);
    deadlines.set('a', 10);
    await clock.advance(600_000);
    expect(tried).toEqual([10, 1010, 3010, 7010, 15_010, 31_010, 61_010, 91_010]);
    expect(failures).toEqual([1, 2, 3, 4, 5, 6, 7]);
    expect({ has: deadlines.has('a'), next: clock.nextDue() }).toEqual({ has: false, next: undefined });
  });

  test('stays due meanwhile', async () => {
    const { clock, deadlines } = failing(1);
    deadlines.set('a', 10);
    await clock.advance(9);
    expect(deadlines.isDue('a')).toBe(false);
    await clock.advance(2);
    expect(deadlines.isDue('a')).toBe(true);
    await clock.advance(1_000);
    expect(deadlines.isDue('a')).toBe(false);
  });

  test('is not repeated once it is cleared, put off or stopped', async () => {
    const { clock, tried, deadlines } = failing(9);
    deadlines.doNow('a');
    await clock.advance(10);
    deadlines.clear('a');
    deadlines.doNow('b');
    await clock.advance(10);
    deadlines.set('b', 5_000);
    await clock.advance(4_000);
    expect(tried).toEqual([0, 10]);
    await clock.advance(1_020);
    deadlines.stop();
    await clock.advance(100_000);
    expect(tried).toEqual([0, 10, 5_020]);
  });
});

test('the time left until a stored deadline is never more than its full length, nor negative', () => {
  const clock = new VirtualClock({ startMs: 1_000_000 });
  expect(computeMsUntil(clock, 1_002_000, 5_000)).toBe(2_000);
  clock.setWallClock(-3_600_000);
  expect(computeMsUntil(clock, 1_002_000, 5_000)).toBe(5_000);
  clock.setWallClock(7_200_000);
  expect(computeMsUntil(clock, 1_002_000, 5_000)).toBe(0);
});

test('setting the wall clock moves no deadline', async () => {
  const { clock, deadlines } = setup();
  const begun = clock.monotonic();
  const ran: number[] = [];
  const durations = new DeadlineScheduler(clock, { run: () => void ran.push(clock.monotonic() - begun) });
  durations.set('a', 10_000);
  clock.setWallClock(-3_600_000);
  await clock.advance(5_000);
  clock.setWallClock(7_200_000);
  await clock.advance(20_000);
  expect(ran).toEqual([10_000]);
  deadlines.stop();
});

test('the rest of a period that began here is the same however far the wall clock is set meanwhile (B122)', async () => {
  const clock = new VirtualClock({ startMs: 1_000_000 });
  const began = clock.now();
  clock.setWallClock(400 * 24 * 3_600_000);
  expect(computeMsLeft(clock, began, 5_000)).toBe(5_000);
  await clock.advance(2_000);
  expect(computeMsLeft(clock, began, 5_000)).toBe(3_000);
  clock.setWallClock(-800 * 24 * 3_600_000);
  expect(computeMsLeft(clock, began, 5_000)).toBe(3_000);
  await clock.advance(4_000);
  expect(computeMsLeft(clock, began, 5_000)).toBe(0);
});
