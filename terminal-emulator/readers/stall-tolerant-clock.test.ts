import { expect, test } from 'vitest';
import { VirtualClock } from '../../shared/virtual-clock.ts';
import { makeStallTolerantClock } from './stall-tolerant-clock.ts';
import { StallingClock } from './stalling-clock.fixture.ts';

function waiting(delayMs: number) {
  const clock = new StallingClock();
  const patient = makeStallTolerantClock(clock);
  let over = 0;
  const timer = patient.setTimeout(() => over++, delayMs);
  return { clock, patient, timer, over: () => over };
}

test('without stalls a timer fires on time', async () => {
  const clock = new VirtualClock({ startMs: 0 });
  let overAt: number | undefined;
  makeStallTolerantClock(clock).setTimeout(() => {
    overAt = clock.now();
  }, 1_000);
  await clock.advance(5_000);
  expect(overAt).toBe(1_000);
});

test('time in which the program stood still does not count, whenever that was', () => {
  for (let stalledAt = 0; stalledAt < 100; stalledAt += 20) {
    const { clock, over } = waiting(100);
    for (let at = 0; at < stalledAt; at += 20) clock.stall(20);
    clock.stall(10_000);
    expect([stalledAt, over()]).toEqual([stalledAt, 0]);
    for (let at = stalledAt; at < 100; at += 20) clock.stall(20);
    expect([stalledAt, over()]).toEqual([stalledAt, 1]);
  }
});

test('a timer still fires on a machine that is always late', () => {
  const { clock, over } = waiting(100);
  for (let turn = 0; turn < 15; turn++) clock.stall(500);
  expect(over()).toBe(1);
  expect(clock.waiting).toBe(false);
});

test('a wait that was cancelled in any part leaves no timer', () => {
  const { clock, patient, timer, over } = waiting(100);
  clock.stall(20);
  clock.stall(500);
  patient.clearTimeout(timer);
  expect(clock.waiting).toBe(false);
  clock.stall(1_000);
  expect(over()).toBe(0);
});
