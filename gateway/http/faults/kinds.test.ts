import { request } from 'node:http';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { VirtualClock } from '../../../shared/virtual-clock.ts';
import { until } from '../../../test/until.ts';
import { faultInputSchema } from '../../control/fault-schemas.ts';
import { defineEndpoint } from '../endpoint.ts';
import { commonEndpointParts, exampleUuid, openTestServer } from '../server.fixture.ts';

type Harness = Awaited<ReturnType<typeof openTestServer>>;
const virtual = { runtime: { clock: 'virtual' } } as const;
const pay = '{"amount":5}';

const set = (harness: Harness, fault: z.input<typeof faultInputSchema>) =>
  harness.faults.add(faultInputSchema.parse(fault));
const clockOf = ({ runtime }: Harness) => runtime.clock as VirtualClock;
const injected = (harness: Harness) =>
  until('the fault is injected', () => harness.journal('fault.injected').length > 0);
const called = (harness: Harness, times: number) =>
  until(`the handler is called ${times} times`, () => harness.calls.length === times);

/**
 * Sends a payment. The returned object shows whether its answer has begun, and how much of the answer's body has come.
 */
function slowly(harness: Harness) {
  const seen = { head: false, body: '', length: 0, error: undefined as Error | undefined, ended: false };
  const sending = request(`${harness.url}/things/${exampleUuid}`, {
    method: 'POST',
    headers: { authorization: 'Bearer sandbox-token', 'content-type': 'application/json' },
  });
  sending.on('error', (error) => Object.assign(seen, { error }));
  sending.on('response', (response) => {
    seen.head = true;
    seen.length = Number(response.headers['content-length']);
    response.on('data', (chunk) => {
      seen.body += chunk;
    });
    response.on('error', (error) => Object.assign(seen, { error }));
    response.on('end', () => Object.assign(seen, { ended: true }));
  });
  sending.end(pay);
  return { seen, hangUp: () => sending.destroy() };
}

test('a fault lets as many requests through as it was told, and then affects as many (B212)', async () => {
  const harness = await openTestServer();
  await set(harness, { fault: 'failAnswer', after: 2, times: 2 });
  const statuses: number[] = [];
  for (let at = 0; at < 6; at++) statuses.push((await harness.post(pay)).status);
  expect(statuses).toEqual([201, 201, 503, 503, 201, 201]);
});

test('a request that one fault lets through can be affected by the next fault (B212)', async () => {
  const harness = await openTestServer();
  await set(harness, { fault: 'failAnswer', status: 502, after: 1 });
  await set(harness, { fault: 'failAnswer', status: 504, times: null });
  const statuses = [await harness.post(pay), await harness.post(pay), await harness.post(pay)];
  expect(statuses.map(({ status }) => status)).toEqual([504, 502, 504]);
  expect(harness.faults.list()).toMatchObject([{ status: 504, times: null }]);
});

test.each([429, 500, 503] as const)(
  'a refused request is answered %i and not executed (B213)',
  async (status) => {
    const harness = await openTestServer();
    await set(harness, { fault: 'failRequest', status });
    const answer = await harness.post(pay);
    expect([answer.status, harness.calls.length]).toEqual([status, 0]);
    expect(await answer.json()).toMatchObject({ error: status === 429 ? 'rateLimited' : 'internalError' });
    expect(harness.journal('fault.injected')[0]?.data).toMatchObject({ fault: 'failRequest' });
  },
);

test('a late request loses its connection at once, and is executed later as a separate request (B213)', async () => {
  const harness = await openTestServer(virtual);
  await set(harness, { fault: 'delayRequest', delayMs: 30_000, times: null });
  await expect(harness.post(pay, { 'Idempotency-Key': 'k', 'Request-Id': 'mine' })).rejects.toThrow();
  await clockOf(harness).advance(29_999);
  expect(harness.calls).toHaveLength(0);
  await clockOf(harness).advance(1);
  await called(harness, 1);
  expect(harness.calls[0]).toMatchObject({ body: { amount: 5 }, headers: { 'idempotency-key': 'k' } });
  expect(harness.calls[0]?.requestId).not.toBe('mine');
});

test('a late request is checked when it is executed: a token that is refused then is refused (B213)', async () => {
  const harness = await openTestServer({ ...virtual, rateLimit: { requests: 1, perSeconds: 1_000 } });
  await set(harness, { fault: 'delayRequest', delayMs: 1_000 });
  await expect(harness.post(pay)).rejects.toThrow();
  await clockOf(harness).advance(1_000);
  expect(harness.calls).toHaveLength(0);
  expect(harness.journal('http.answered').at(-1)?.data).toMatchObject({ status: 429 });
});

test('a gateway that shuts down forgets a late request', async () => {
  const harness = await openTestServer(virtual);
  await set(harness, { fault: 'delayRequest', delayMs: 1_000 });
  await expect(harness.post(pay)).rejects.toThrow();
  await harness.server.close();
  expect(clockOf(harness).nextDue()).toBeUndefined();
});

test.each(['first', 'copy'] as const)(
  'a doubled request is executed twice, and the client gets the answer to the %s (B213)',
  async (answered) => {
    const harness = await openTestServer(virtual);
    await set(harness, { fault: 'duplicateRequest', answered, times: null });
    const answer = await harness.post(pay, { 'Idempotency-Key': 'k', Prefer: 'respond-async' });
    expect([answer.status, await answer.json()]).toMatchObject([201, { got: { amount: 5 } }]);
    await called(harness, 2);
    await clockOf(harness).advance(1);
    const ids = harness.calls.map(({ requestId }) => requestId);
    expect(new Set(ids).size).toBe(2);
    expect(answer.headers.get('request-id')).toBe(ids[0]);
    expect(harness.calls.map(({ headers }) => headers)).toEqual([
      { 'idempotency-key': 'k' },
      { 'idempotency-key': 'k' },
    ]);
    expect(harness.calls).toHaveLength(2); // the fault does not affect the copy
  },
);

test('the answer that is sent has the status and headers of the request that it answers (B213)', async () => {
  let calls = 0;
  const once = defineEndpoint({
    ...commonEndpointParts,
    route: 'POST /once',
    guard: 'token',
    responses: {
      201: { description: 'd', schema: z.unknown() },
      409: { description: 'd', schema: z.unknown() },
    },
    handle: async () => ({
      status: calls++ === 0 ? 201 : 409,
      body: { calls },
      headers: { Location: `/${calls}` },
    }),
  });
  const harness = await openTestServer({ endpoints: [once] });
  await set(harness, { fault: 'duplicateRequest', answered: 'copy' });
  const answer = await harness.send('/once', { method: 'POST' });
  expect([answer.status, await answer.json(), answer.headers.get('location')]).toEqual([
    409,
    { calls: 2 },
    '/2',
  ]);
});

test('a cut answer ends after so many bytes, and its length promises more (B214)', async () => {
  const harness = await openTestServer();
  await set(harness, { fault: 'truncateAnswer', bytes: 7 });
  const { seen } = slowly(harness);
  await until('the connection breaks', () => seen.error !== undefined);
  expect(seen).toMatchObject({ head: true, body: '{"got":', ended: false });
  expect(seen.length).toBeGreaterThan(7);
  expect(harness.calls).toHaveLength(1);
  await set(harness, { fault: 'truncateAnswer', bytes: 100_000 });
  expect(await (await harness.post(pay)).json()).toMatchObject({ got: { amount: 5 } });
});

test('a slow answer is sent at the speed of its fault, on the clock of the gateway (B214)', async () => {
  const harness = await openTestServer(virtual);
  await set(harness, { fault: 'slowAnswer', bytesPerSecond: 10 });
  const { seen } = slowly(harness);
  await until('the head comes', () => seen.head);
  await clockOf(harness).advance(1_000);
  await until('10 bytes come', () => seen.body.length >= 10);
  expect(seen.body).toHaveLength(10);
  await clockOf(harness).advance(100 * seen.length);
  await until('the answer ends', () => seen.ended);
  expect(JSON.parse(seen.body)).toMatchObject({ got: { amount: 5 } });
});

test('a connection is cut if it is not answered in time, and work that was begun continues (B214)', async () => {
  const release = Promise.withResolvers<void>();
  let done = 0;
  const slow = defineEndpoint({
    ...commonEndpointParts,
    route: 'GET /slow',
    guard: 'token',
    holds: true,
    handle: async ({ park }) => {
      const resume = park();
      await release.promise;
      resume();
      done++;
      return { status: 200, body: {} };
    },
  });
  const harness = await openTestServer({ ...virtual, endpoints: [slow] });
  await set(harness, { fault: 'cutAnswer', afterMs: 60_000, times: 2 });
  expect((await harness.post(pay)).status).toBe(201);
  const answer = harness.send('/slow').then(
    () => 'answered',
    () => 'cut',
  );
  await until('it is held', () => clockOf(harness).inFlight.idle && harness.faults.list().length === 0);
  await clockOf(harness).advance(59_999);
  expect(harness.journal('fault.injected')).toEqual([]);
  await clockOf(harness).advance(1);
  expect(await answer).toBe('cut');
  expect(harness.journal('fault.injected')).toMatchObject([
    { data: { fault: 'cutAnswer', afterMs: 60_000 } },
  ]);
  expect(harness.journal('http.hungUp')).toHaveLength(1);
  release.resolve();
  await until('the handler has gone on', () => done === 1);
});

test('a held answer makes virtual time stand still until the client hangs up (B215)', async () => {
  const harness = await openTestServer(virtual);
  await set(harness, { fault: 'holdAnswer' });
  const { seen, hangUp } = slowly(harness);
  await injected(harness);
  const before = clockOf(harness).now();
  let passed = false;
  const passing = clockOf(harness)
    .advance(1_000)
    .then(() => {
      passed = true;
    });
  expect((await harness.post(pay)).status).toBe(201);
  expect([passed, clockOf(harness).now(), seen.head]).toEqual([false, before, false]);
  hangUp();
  await passing;
  expect(clockOf(harness).now()).toBe(before + 1_000);
  expect(harness.journal('http.hungUp')).toHaveLength(1);
});

test('an answer that is held for 205 real seconds is dropped, and the journal says so (B215, B315)', async () => {
  const realClock = new VirtualClock({ startMs: 0 });
  const harness = await openTestServer({ runtime: { clock: 'virtual', realClock } });
  await set(harness, { fault: 'holdAnswer' });
  const { seen } = slowly(harness);
  await injected(harness);
  await realClock.advance(200_000);
  expect(harness.journal('http.hungUp')).toEqual([]); // a POS with a timeout of 200 s would still wait
  await realClock.advance(5_000);
  await until('the connection breaks', () => seen.error !== undefined);
  expect(harness.journal('fault.injected').map(({ data }) => data)).toMatchObject([
    { fault: 'holdAnswer', status: 201 },
    { fault: 'dropAnswer', status: 201 },
  ]);
});

test('a shutdown does not wait for a held answer', async () => {
  const harness = await openTestServer(virtual);
  await set(harness, { fault: 'holdAnswer' });
  const { seen } = slowly(harness);
  await injected(harness);
  await harness.server.close();
  await until('the connection breaks', () => seen.error !== undefined);
});
