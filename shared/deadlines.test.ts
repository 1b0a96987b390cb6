import { expect, test } from 'vitest';
import type { Clock } from './clock.ts';
import { Deadlines } from './deadlines.ts';
import { VirtualClock } from './virtual-clock.ts';

function setup() {
  const clock = new VirtualClock({ startMs: 1_000_000 });
  const ran: string[] = [];
  const deadlines = new Deadlines(clock, (id) => ran.push(`${id} ${clock.now()}`));
  return { clock, ran, deadlines };
}

test('each deadline runs at its own moment, one already past at once', async () => {
  const { clock, ran, deadlines } = setup();
  deadlines.set('later', 1_005_000);
  deadlines.set('past', 1);
  await clock.advance(10_000);
  expect(ran).toEqual(['past 1000000', 'later 1005000']);
});

test('setting a deadline again moves it, clearing forgets it', async () => {
  const { clock, ran, deadlines } = setup();
  deadlines.set('moved', 1_001_000);
  deadlines.set('moved', 1_002_000);
  deadlines.set('cleared', 1_001_000);
  deadlines.clear('cleared');
  await clock.advance(10_000);
  expect(ran).toEqual(['moved 1002000']);
});

test('after a stop nothing runs', async () => {
  const { clock, ran, deadlines } = setup();
  deadlines.set('a', 1_001_000);
  deadlines.stop();
  deadlines.set('b', 1_001_000);
  await clock.advance(10_000);
  expect(ran).toEqual([]);
});

test('a timer that fires a little early is armed again, so that nothing runs before its moment', () => {
  let now = 1_000_000;
  let fire = () => {};
  const early: Clock = {
    virtual: false,
    now: () => now,
    setTimeout: (run) => {
      fire = run;
      return run;
    },
    clearTimeout: () => {},
  };
  const ran: number[] = [];
  const deadlines = new Deadlines(early, () => ran.push(now));
  deadlines.set('a', 1_002_000);
  now = 1_001_999;
  fire();
  expect(ran).toEqual([]);
  now = 1_002_000;
  fire();
  expect(ran).toEqual([1_002_000]);
});
