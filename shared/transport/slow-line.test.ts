import { expect, test } from 'vitest';
import { SlowLine } from './slow-line.ts';

test('nothing is overtaken on a line that became faster, even if the later timer fires first', () => {
  const timers: (() => void)[] = [];
  const clock = {
    virtual: false,
    now: () => 0,
    monotonic: () => 0,
    elapsedSince: () => 0,
    setTimeout: (run: () => void) => timers.push(run),
    clearTimeout: () => {},
  };
  const line = new SlowLine(clock);
  const arrived: string[] = [];
  line.latencyMs = 100;
  line.carry(() => arrived.push('first'));
  line.latencyMs = 10;
  line.carry(() => arrived.push('second'));

  for (const fire of timers.reverse()) fire();

  expect(arrived).toEqual(['first', 'second']);
});

test('lost messages never arrive', () => {
  const timers = new Map<number, () => void>();
  const clock = {
    virtual: false,
    now: () => 0,
    monotonic: () => 0,
    elapsedSince: () => 0,
    setTimeout: (run: () => void) => timers.set(timers.size, run).size - 1,
    clearTimeout: (timer: unknown) => timers.delete(timer as number),
  };
  const line = new SlowLine(clock);
  const arrived: string[] = [];
  line.latencyMs = 100;
  for (const name of ['first', 'second']) line.carry(() => arrived.push(name));

  line.lose();
  for (const fire of timers.values()) fire();

  expect(arrived).toEqual([]);
});
