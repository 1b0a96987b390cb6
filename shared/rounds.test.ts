import { expect, onTestFinished, test } from 'vitest';
import { systemClock } from './clock.ts';
import { PeriodicRunner } from './rounds.ts';

test('a round that is requested just as one ends does not run beside the next', async () => {
  let running = 0;
  let most = 0;
  const rounds = new PeriodicRunner(systemClock, 3_600_000, async () => {
    most = Math.max(most, ++running);
    await new Promise((nextTurn) => setImmediate(nextTurn));
    running -= 1;
  });
  onTestFinished(() => rounds.stop());
  const again = rounds.now().then(() => rounds.now());
  await Promise.all([again, rounds.now()]);
  expect(most).toBe(1);
});
