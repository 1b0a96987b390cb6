import { expect, test } from 'vitest';
import { createRuntime } from '../create-runtime.ts';
import type { VirtualClock } from '../virtual-clock.ts';
import { AcknowledgementTracker } from './unacknowledged.ts';

test('each message has the full time for its acknowledgement, whatever was acknowledged before', async () => {
  const runtime = createRuntime({ clock: 'virtual', seed: 1 });
  const clock = runtime.clock as VirtualClock;
  const limitMs = runtime.timeouts.acknowledgeMs;
  let overdue = false;
  const messages = new AcknowledgementTracker(runtime, () => {
    overdue = true;
  });
  messages.sent();
  messages.acknowledge(1);
  await clock.advance(limitMs - 1);
  messages.sent();
  await clock.advance(limitMs - 1);
  expect(overdue).toBe(false);
  await clock.advance(1);
  expect(overdue).toBe(true);
});

test('a repeated old acknowledgement gives a later message no more time', async () => {
  const runtime = createRuntime({ clock: 'virtual', seed: 1 });
  const clock = runtime.clock as VirtualClock;
  const limitMs = runtime.timeouts.acknowledgeMs;
  let overdue = false;
  const messages = new AcknowledgementTracker(runtime, () => {
    overdue = true;
  });
  for (let count = 0; count < 3; count++) messages.sent();
  expect(messages.acknowledge(2)).toBe(true);
  await clock.advance(limitMs - 1);
  expect([messages.acknowledge(2), messages.acknowledge(1)]).toEqual([true, true]);
  await clock.advance(1);
  expect(overdue).toBe(true);
});
