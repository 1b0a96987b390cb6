import { expect, test } from 'vitest';
import { Journal } from '../../shared/journal.ts';
import { VirtualTimeWaits } from '../../shared/skipping/time-waits.ts';
import { VirtualClock } from '../../shared/virtual-clock.ts';
import { makeVirtualScenarioClock } from './scenario-time.ts';

function timeOf(options: { patienceMs: number; lastChanceMs: number }) {
  const [clock, realClock] = [new VirtualClock({ startMs: 0 }), new VirtualClock({ startMs: 0 })];
  const journal = new Journal(clock);
  const { inFlight } = clock;
  const waits = new VirtualTimeWaits({ clock, realClock, inFlight, journal });
  const time = makeVirtualScenarioClock({ clock, realClock, waits }, options);
  return { clock, realClock, journal, time };
}

test('before a wait fails it gets a last chance in real time, and so do two that fail at one moment', async () => {
  const { clock, realClock, journal, time } = timeOf({ patienceMs: 40, lastChanceMs: 2_000 });
  const first = time.step(10_000, { wait: 'first' });
  await realClock.advance(1_900);
  journal.add('warning', { message: 'a request came' });
  await first;
  expect(clock.now()).toBe(0);
  const second = time.step(10_000, { wait: 'second' });
  expect(realClock.nextDue()).toBe(1_900 + 2_000);
  await realClock.advance(2_000);
  await second;
  expect(clock.now()).toBe(10_000);
});

test('a last chance is not prolonged by other events, nor by a clock that is set', async () => {
  const { clock, realClock, journal, time } = timeOf({ patienceMs: 40, lastChanceMs: 2_000 });
  const wait = {};
  for (const afterMs of [900, 900]) {
    const step = time.step(10_000, wait);
    await realClock.advance(afterMs);
    journal.add('warning', { message: 'something else' });
    await step;
  }
  realClock.setWallClock(-3_600_000);
  const last = time.step(10_000, wait);
  await realClock.advance(200);
  await last;
  expect(clock.now()).toBe(10_000);
});

test('if time moves to something else than a failure, it waits for a moment', async () => {
  const { clock, realClock, time } = timeOf({ patienceMs: 40, lastChanceMs: 2_000 });
  clock.setTimeout(() => {}, 5_000);
  const step = time.step(10_000, {});
  await realClock.advance(40);
  await step;
  expect(clock.now()).toBe(5_000);
});
