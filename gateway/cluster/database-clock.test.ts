import { expect, test } from 'vitest';
import { VirtualClock } from '../../shared/virtual-clock.ts';
import { DatabaseClock } from './database-clock.ts';

const machine = async (shown: number, uncertainMs = 10) => {
  const under = new VirtualClock({ startMs: Date.UTC(2031, 0, 1) });
  const reading = (at: number, ms: number) => ({
    askedAt: under.monotonic() - 2 * ms,
    answeredAt: under.monotonic(),
    shown: at - ms,
  });
  const clock = new DatabaseClock(under, reading(shown, uncertainMs));
  return { under, clock, reads: (at: number, ms = 10) => clock.read(reading(at, ms)) };
};

test('the clock shows the time of the database, even if the clock of the machine shows another time', async () => {
  const { under, clock } = await machine(5_000_000);
  expect(clock.now()).toBe(5_000_000);
  await under.advance(1_500);
  expect(clock.now()).toBe(5_001_500);
});

test('a slow reading does not replace a more exact one, until that is too old', async () => {
  const { under, clock, reads } = await machine(5_000_000, 1);
  reads(5_000_400, 500);
  expect(clock.now()).toBe(5_000_000);
  await under.advance(1_000_000);
  reads(6_000_030, 100);
  expect(clock.now()).toBe(6_000_030);
});

test('what another gateway stored just now does not count as old', async () => {
  const { under, clock } = await machine(5_000_000);
  await under.advance(1_000);
  expect(clock.elapsedSince(5_001_002)).toBe(0);
});

test('what this gateway stored just now does not count as old after a small correction of its clock', async () => {
  const { under, clock, reads } = await machine(5_000_000, 20);
  await under.advance(400_000);
  reads(5_400_015, 1);
  expect(clock.elapsedSince(clock.now() - 1)).toBeLessThan(100);
});

test('the clock follows if the clock of the database is set, and still knows how long ago earlier times were', async () => {
  const { under, clock, reads } = await machine(5_000_000);
  await under.advance(60_000);
  reads(9_000_000);
  await under.advance(1_000);
  expect(clock.now()).toBe(9_001_000);
  expect(clock.elapsedSince(5_000_000)).toBe(61_000);
});
