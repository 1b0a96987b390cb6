import { connect } from 'node:net';
import { expect, test } from 'vitest';
import type { z } from 'zod';
import type { VirtualClock } from '../../shared/virtual-clock.ts';
import { until } from '../../test/until.ts';
import { faultInputSchema } from '../control/fault-schemas.ts';
import { defineEndpoint } from './endpoint.ts';
import { commonEndpointParts, openTestServer } from './server.fixture.ts';

const long = 'x'.repeat(20_000_000);
const longAnswer = defineEndpoint({
  ...commonEndpointParts,
  route: 'GET /long',
  guard: 'open',
  handle: async () => ({ status: 200, text: JSON.stringify(long) }),
});
const fault = { method: 'POST', path: '/things/{thingId}', times: 1 } as const;

type Harness = Awaited<ReturnType<typeof openTestServer>>;

const set = (harness: Harness, given: z.input<typeof faultInputSchema>) =>
  harness.faults.add(faultInputSchema.parse(given));

/** Gives the journal's entry about an answer that was not sent at once. */
async function sent({ journal }: Harness): Promise<unknown> {
  await until('the answer has gone out', () => journal('http.sent').length > 0);
  return journal('http.sent')[0]?.data;
}

const answered = (harness: Harness, times: number) =>
  until(`${times} requests are answered`, () => harness.journal('http.answered').length === times);

test('an answer that the network accepts at once is complete, and records whose token its request showed (B239)', async () => {
  const harness = await openTestServer();
  await harness.post('{"amount":5}');
  expect(harness.journal('http.received')[0]?.data).toMatchObject({ accountId: 'a' });
  expect(harness.journal('http.answered')[0]?.data).toMatchObject({ status: 201, whole: true });
  expect(harness.journal('http.sent')).toEqual([]);
});

test('an answer whose connection breaks in the middle is not complete (B239)', async () => {
  const harness = await openTestServer();
  await set(harness, { ...fault, fault: 'truncateAnswer', bytes: 5 });
  await expect(harness.post('{"amount":5}').then((answer) => answer.text())).rejects.toThrow();
  expect(await sent(harness)).toMatchObject({ method: 'POST', whole: false });
  expect(harness.journal('http.answered')[0]?.data).toMatchObject({ status: 201, whole: false });
});

test('a slow answer is complete once all of it has been sent (B239)', async () => {
  const harness = await openTestServer({ runtime: { clock: 'virtual' } });
  await set(harness, { ...fault, fault: 'slowAnswer', bytesPerSecond: 1 });
  const answer = await harness.post('{"amount":5}');
  expect(harness.journal('http.sent')).toEqual([]);
  await (harness.runtime.clock as VirtualClock).advance(600_000);
  expect(await sent(harness)).toMatchObject({ whole: true });
  expect(await answer.json()).toMatchObject({ got: { amount: 5 } });
});

test.each([
  ['reads all of it', true],
  ['leaves instead', false],
])('an answer that fills the line is complete only if its client %s (B239)', async (_what, reads) => {
  const harness = await openTestServer({ endpoints: [longAnswer] });
  const { hostname, port } = new URL(harness.url);
  const socket = connect(Number(port), hostname);
  socket.pause();
  socket.write('GET /long HTTP/1.1\r\nHost: x\r\n\r\n');
  await answered(harness, 1);
  expect(harness.journal('http.answered')[0]?.data).toMatchObject({ whole: false });
  if (reads) socket.resume();
  else socket.destroy();
  expect(await sent(harness)).toMatchObject({ whole: reads });
  socket.destroy();
});

test('the answer to a copy of a request that the gateway itself made goes to nobody (B239)', async () => {
  const harness = await openTestServer();
  await set(harness, { ...fault, fault: 'duplicateRequest', answered: 'first' });
  await harness.post('{"amount":5}');
  await answered(harness, 2);
  const wholes = harness
    .journal('http.answered')
    .map(({ data }) => ('whole' in data ? data.whole : undefined));
  expect(wholes.filter((whole) => whole !== undefined)).toEqual([true]);
});
