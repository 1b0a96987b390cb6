import { expect, test } from 'vitest';
import { makeTimeouts, timeoutChangesSchema } from './timeouts.ts';

test('a timeout that is set leaves the others scaled', () => {
  const changes = timeoutChangesSchema.parse({ webhookAnswerMs: 500 });
  expect(changes).toEqual({ webhookAnswerMs: 500 });
  const scaled = makeTimeouts(0.02, changes);
  expect(scaled).toMatchObject({ webhookAnswerMs: 500, paymentCapMs: 3_000, hostMs: 600 });
});

test('an unknown timeout is refused', () => {
  expect(timeoutChangesSchema.safeParse({ webhookAnswer: 500 }).success).toBe(false);
});

test('the time limits for a client to send and to close are not scaled', () => {
  expect(makeTimeouts(0.02)).toMatchObject({ headersMs: 20_000, lingerMs: 1_000 });
});
