import { expect, test } from 'vitest';
import { systemClock } from './clock.ts';
import { createRuntime } from './create-runtime.ts';

test('a runtime with a real clock keeps the time of the clock of real time that it is given', () => {
  const realClock = { ...systemClock };
  expect(createRuntime({ realClock }).clock).toBe(realClock);
  expect(createRuntime().clock).toBe(systemClock);
});
