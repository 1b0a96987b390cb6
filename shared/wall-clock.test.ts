import { expect, test } from 'vitest';
import { VirtualClock } from './virtual-clock.ts';

const hour = 3_600_000;

function setup() {
  const clock = new VirtualClock({ startMs: 1_000 * hour });
  return { clock, pass: (ms: number) => clock.advance(ms) };
}

test.each([
  ['back', -hour],
  ['forward', 49 * hour],
])('the age of a recorded time is the same when the clock is set %s', async (_, byMs) => {
  const { clock, pass } = setup();
  const before = clock.now();
  await pass(100);
  clock.setWallClock(byMs);
  const after = clock.now();
  await pass(200);
  expect(clock.elapsedSince(before)).toBe(300);
  expect(clock.elapsedSince(after)).toBe(200);
  expect(clock.now()).toBe(before + byMs + 300);
});

test('if the clock showed a time twice, the later occurrence counts', async () => {
  const { clock, pass } = setup();
  const shown = clock.now();
  await pass(hour);
  clock.setWallClock(-hour);
  clock.now();
  await pass(10);
  expect(clock.elapsedSince(shown)).toBe(10);
});

test('a time from a former process whose clock was ahead is as old as the start of this one', async () => {
  const { clock, pass } = setup();
  const stored = clock.now() + hour;
  await pass(60_000);
  expect(clock.elapsedSince(stored)).toBe(60_000);
});

test('a time before the start is as old as the clock showed at the start', () => {
  const { clock } = setup();
  const stored = clock.now() - 5 * hour;
  clock.setWallClock(100 * hour);
  expect(clock.elapsedSince(stored)).toBe(5 * hour);
});

test.each([
  ['forward', 999],
  ['back', -999],
])('a time just now is still recent if the clock was adjusted slowly %s', async (_, byMs) => {
  const { clock, pass } = setup();
  await pass(hour);
  clock.setWallClock(hour);
  clock.now();
  clock.setWallClock(byMs);
  const shown = clock.now();
  expect(clock.elapsedSince(shown)).toBeLessThan(1000);
  await pass(5_000);
  expect(Math.abs(clock.elapsedSince(shown) - 5_000)).toBeLessThan(1000);
});
