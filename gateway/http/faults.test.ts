import { expect, test } from 'vitest';
import { z } from 'zod';
import type { VirtualClock } from '../../shared/virtual-clock.ts';
import { until } from '../../test/until.ts';
import { faultInputSchema } from '../control/fault-schemas.ts';
import { defineEndpoint } from './endpoint.ts';
import { exampleUuid, openTestServer } from './server.fixture.ts';

const things = { method: 'POST', path: '/things/{thingId}' } as const;
const kinds = (harness: Awaited<ReturnType<typeof openTestServer>>) =>
  harness.runtime.journal.since().map(({ kind }) => kind);

test('with the fault of a dropped answer, a request is executed, its connection breaks, and the next is answered', async () => {
  const harness = await openTestServer();
  await harness.faults.add(faultInputSchema.parse({ fault: 'dropAnswer', ...things }));
  await expect(harness.post('{"amount":5}')).rejects.toThrow();
  expect(harness.calls).toHaveLength(1);
  expect(kinds(harness)).toEqual(['http.received', 'fault.injected']);
  expect(harness.journal('fault.injected')[0]?.data).toMatchObject({ fault: 'dropAnswer', status: 201 });
  expect((await harness.post('{"amount":5}')).status).toBe(201);
  expect(harness.faults.list()).toEqual([]);
});

test('a refusal can be dropped as well as an approval', async () => {
  const harness = await openTestServer();
  await harness.faults.add(faultInputSchema.parse({ fault: 'dropAnswer' }));
  await expect(harness.post('{"amount":"five"}')).rejects.toThrow();
  expect(harness.journal('fault.injected')[0]?.data).toMatchObject({ status: 400 });
});

test('with the fault of a dropped request, nothing is executed', async () => {
  const harness = await openTestServer();
  await harness.faults.add(faultInputSchema.parse({ fault: 'dropRequest', times: 2 }));
  await expect(harness.post('{"amount":5}')).rejects.toThrow();
  expect(harness.faults.list()).toMatchObject([{ times: 1 }]);
  await expect(harness.post('{"amount":5}')).rejects.toThrow();
  expect(harness.calls).toHaveLength(0);
  expect((await harness.post('{"amount":5}')).status).toBe(201);
});

test('an answer is delayed by the time that its fault says, on the clock of the gateway', async () => {
  const harness = await openTestServer({ runtime: { clock: 'virtual' } });
  const clock = harness.runtime.clock as VirtualClock;
  await harness.faults.add(faultInputSchema.parse({ fault: 'delayAnswer', delayMs: 45_000, ...things }));
  let answered = false;
  const answer = harness.post('{"amount":5}').finally(() => {
    answered = true;
  });
  await until('the fault is injected', () => harness.journal('fault.injected').length > 0);
  await clock.advance(44_999);
  expect([answered, harness.calls.length]).toEqual([false, 1]);
  await clock.advance(1);
  expect((await answer).status).toBe(201);
  expect(harness.journal('http.answered')[0]?.data).toMatchObject({ durationMs: 45_000 });
});

test('a delayed answer goes out at once when the gateway shuts down', async () => {
  const harness = await openTestServer({ runtime: { clock: 'virtual' } });
  await harness.faults.add(faultInputSchema.parse({ fault: 'delayAnswer', delayMs: 45_000 }));
  const answer = harness.post('{"amount":5}');
  await until('the fault is injected', () => harness.journal('fault.injected').length > 0);
  const closed = harness.server.close();
  expect((await answer).status).toBe(201);
  await closed;
});

test('with the fault of a failed answer, a request is executed and answered with an error', async () => {
  const harness = await openTestServer();
  await harness.faults.add(faultInputSchema.parse({ fault: 'failAnswer', status: 502 }));
  const answer = await harness.post('{"amount":5}');
  expect([answer.status, await answer.json()]).toMatchObject([502, { error: 'internalError' }]);
  expect(harness.calls).toHaveLength(1);
});

test.each([
  [{ method: 'GET' }],
  [{ path: '/things' }],
  [{ path: '/things/{thingId}/more' }],
  [{ accountId: 'another' }],
])('a fault for %j does not affect other requests', async (which) => {
  const harness = await openTestServer();
  await harness.faults.add(faultInputSchema.parse({ fault: 'dropAnswer', ...which }));
  expect((await harness.post('{"amount":5}')).status).toBe(201);
});

test.each([[{ path: `/things/${exampleUuid}` }], [{ accountId: 'a' }], [{ ...things, accountId: 'a' }]])(
  'a fault for %j affects its request, and lasts until it is cleared',
  async (which) => {
    const harness = await openTestServer();
    await harness.faults.add(faultInputSchema.parse({ fault: 'failAnswer', times: null, ...which }));
    expect((await harness.post('{"amount":5}')).status).toBe(503);
    expect((await harness.post('{"amount":5}')).status).toBe(503);
    expect(await harness.faults.clear({ accountId: 'another' })).toBe(0);
    expect(await harness.faults.clear()).toBe(1);
    expect((await harness.post('{"amount":5}')).status).toBe(201);
  },
);

test('the control API is never affected by a fault', async () => {
  const harness = await openTestServer();
  await harness.faults.add(faultInputSchema.parse({ fault: 'dropRequest' }));
  expect((await harness.send('/control/things', { token: 'the-control-token' })).status).toBe(200);
  expect(() => faultInputSchema.parse({ fault: 'dropRequest', path: '/control/things' })).toThrow();
});

test('a fault on a secret path is not in the journal either', async () => {
  const secret = defineEndpoint({
    route: 'GET /pay/{token}',
    guard: 'open',
    tag: 'Things',
    summary: 's',
    operationId: 'openSecret',
    journaled: 'nothing',
    responses: { 200: { description: 'd', schema: z.unknown() } },
    handle: async () => ({ status: 200, body: {} }),
  });
  const harness = await openTestServer({ endpoints: [secret] });
  for (const fault of ['dropRequest', 'dropAnswer', 'failAnswer'] as const) {
    await harness.faults.add(faultInputSchema.parse({ fault }));
    await harness.send('/pay/hush').catch(() => {});
  }
  expect(harness.faults.list()).toEqual([]);
  expect(JSON.stringify(harness.runtime.journal.since())).not.toContain('hush');
});
