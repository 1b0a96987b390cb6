import { expect, test } from 'vitest';
import { startStopwatch } from './stopwatch.ts';
import { VirtualClock } from './virtual-clock.ts';

test('a measured duration is right, even if the wall clock was set meanwhile (B122)', async () => {
  const clock = new VirtualClock({ startMs: 0 });
  const tookMs = startStopwatch(clock);
  await clock.advance(300);
  clock.setWallClock(-3_600_000);
  await clock.advance(200);
  expect(tookMs()).toBe(500);
});
