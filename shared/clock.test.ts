import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { systemClock } from './clock.ts';

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

const month = 30 * 24 * 3_600_000;

test("a timer longer than Node's maximum fires at its due time, not at once", () => {
  const ran: string[] = [];
  systemClock.setTimeout(() => ran.push('month'), month);
  vi.advanceTimersByTime(month - 1);
  expect(ran).toEqual([]);
  vi.advanceTimersByTime(1);
  expect(ran).toEqual(['month']);
});

test('a long timer can be cleared in any of its parts', () => {
  const ran: string[] = [];
  const timer = systemClock.setTimeout(() => ran.push('month'), month);
  vi.advanceTimersByTime(month - 1000);
  systemClock.clearTimeout(timer);
  vi.advanceTimersByTime(month);
  expect(ran).toEqual([]);
});

test('setting the wall clock changes no duration (B122)', () => {
  const [moment, began] = [systemClock.now(), systemClock.monotonic()];
  vi.setSystemTime(moment + month);
  expect(systemClock.now()).toBe(moment + month);
  expect(systemClock.monotonic()).toBe(began);
  vi.advanceTimersByTime(5_000);
  expect(systemClock.monotonic()).toBe(began + 5_000);
});
