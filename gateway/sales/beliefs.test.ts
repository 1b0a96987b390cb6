import { networkInterfaces } from 'node:os';
import { afterEach, expect, test } from 'vitest';
import { createRuntime } from '../../shared/create-runtime.ts';
import { temporaryDatabaseFile } from '../../shared/database/temporary-file.fixture.ts';
import type { Sale } from '../../shared/sales/sale.ts';
import { VirtualClock } from '../../shared/virtual-clock.ts';
import { PaymentsHarness, testIds } from '../payments/payments-harness.fixture.ts';

let harness: PaymentsHarness;
afterEach(() => harness.stop());

const token = 'control-token-of-test';
const state = (body: object) => harness.call('POST', '/control/beliefs', { body, token });
const get = async (saleId: string) =>
  (await harness.call('GET', `/control/sales/${saleId}`, { token })).body as unknown as Sale;
const at = (body: object, headers: Record<string, string> = {}) =>
  harness.call('POST', harness.services.beliefs.pathOf(testIds.account), { body, headers, token: 'none' });

/** Makes a payment of this amount with the reference, and gives its identifier. */
async function sold(reference: string, amount = 25, key?: string): Promise<string> {
  const terminal = await harness.terminal().connect();
  const paying = harness.pay(amount, { key, more: { saleData: { saleReferenceId: reference } } });
  await terminal.pay();
  const { identifier } = (await paying).body;
  return identifier;
}

test('a shop can report what it believes about a sale, and its last report counts (B242)', async () => {
  harness = await PaymentsHarness.start();
  const payment = await sold('order-1', 25, 'k1');
  expect(await state({ saleReferenceId: 'order-1', believes: 'notPaid' })).toMatchObject({
    status: 201,
    body: { saleId: payment, beliefs: [{ believes: 'notPaid' }] },
  });
  expect((await get(payment)).findings).toMatchObject([{ rule: 'wrong-belief', severity: 'error' }]);
  await state({ idempotencyKey: 'k1', believes: 'paid', amount: 25, times: 1 });
  const sale = await get(payment);
  expect(sale.findings).toEqual([]);
  expect(sale.beliefs).toMatchObject([{ believes: 'notPaid' }, { believes: 'paid', amount: 25, times: 1 }]);
});

test.each([
  [{ believes: 'paid' }, undefined],
  [{ believes: 'unknown' }, undefined],
  [{ believes: 'paid', amount: 20 }, /charged EUR 25/],
  [{ believes: 'paid', times: 2 }, /2 times/],
  [{ believes: 'paid', times: 0 }, undefined],
  [{ believes: 'notPaid' }, /charged EUR 25/],
] as const)('the belief %o about a paid sale is judged (B242)', async (belief, wrong) => {
  harness = await PaymentsHarness.start();
  const payment = await sold('order-1');
  await state({ payment, ...belief });
  const [finding] = (await get(payment)).findings;
  if (wrong) expect(finding?.what).toMatch(wrong);
  else expect(finding).toBeUndefined();
});

test.each([
  [{ believes: 'paid' }, /nothing/],
  [{ believes: 'notPaid' }, undefined],
  [{ believes: 'notPaid', times: 1 }, /once/],
] as const)('the belief %o about a declined sale is judged (B242)', async (belief, wrong) => {
  harness = await PaymentsHarness.start();
  const terminal = await harness.terminal().connect();
  const paying = harness.pay(25);
  terminal.refuse(await terminal.next('PaymentRequest'), 'Cancel');
  const payment = (await paying).body.identifier;
  await state({ payment, ...belief });
  const [finding] = (await get(payment)).findings;
  if (wrong) expect(finding?.what).toMatch(wrong);
  else expect(finding).toBeUndefined();
});

test('the answer names all sales that fit, or says that none fits, and a malformed belief gets 400 (B242)', async () => {
  harness = await PaymentsHarness.start();
  const first = await sold('table-7');
  await harness.clock.advance(13 * 3_600_000);
  const second = await sold('table-7');
  expect(await state({ saleReferenceId: 'table-7', believes: 'paid' })).toMatchObject({
    status: 409,
    body: { error: 'conflict', candidates: [{ saleId: second }, { saleId: first }] },
  });
  expect((await state({ payment: first, believes: 'paid' })).status).toBe(201);
  expect((await state({ saleReferenceId: 'none', believes: 'paid' })).status).toBe(404);
  for (const other of [{ accountId: 'other' }, { saleReferenceId: 'table-8' }, { idempotencyKey: 'other' }])
    expect((await state({ payment: first, ...other, believes: 'paid' })).status).toBe(404);
  for (const body of [
    { believes: 'paid' },
    { payment: first, believes: 'maybe' },
    { payment: first, believes: 'paid', times: 1001 },
    { payment: first, believes: 'paid', amount: -1 },
  ])
    expect((await state(body)).status).toBe(400);
  expect((await state({ payment: first, believes: 'paid', note: 'x'.repeat(8_000) })).status).toBe(413);
});

test("a belief under a key or reference that is not the payment's own belongs to no sale (B242)", async () => {
  harness = await PaymentsHarness.start();
  const payment = await sold('order-1', 25, 'k1');
  for (const [wrong, status] of [
    [{ idempotencyKey: 'k2' }, 404],
    [{ saleReferenceId: 'order-2' }, 404],
    [{ idempotencyKey: 'k1', saleReferenceId: 'order-1' }, 201],
  ] as const)
    expect((await state({ payment, believes: 'paid', ...wrong })).status).toBe(status);
});

test("an amount has at most the decimals of its sale's currency, and may be zero (B242)", async () => {
  harness = await PaymentsHarness.start();
  const payment = await sold('order-1');
  const body = { payment, believes: 'paid' };
  expect(await state({ ...body, amount: 12.555 })).toMatchObject({
    status: 400,
    body: { error: 'invalidAmount', message: 'amount must not have more decimals than EUR has' },
  });
  expect(await at({ ...body, amount: 12.555 })).toMatchObject({ status: 400 });
  expect((await get(payment)).beliefs).toEqual([]);
  expect((await state({ ...body, amount: 25.5 })).status).toBe(201);
  expect((await state({ payment, believes: 'notPaid', amount: 0 })).status).toBe(201);
});

test('the secret address accepts beliefs of its account only, without a token, and is nowhere recorded (B243)', async () => {
  harness = await PaymentsHarness.start();
  const payment = await sold('order-1');
  const path = harness.services.beliefs.pathOf(testIds.account);
  expect(path).toMatch(/^\/beliefs\/belief_[\w-]{43}$/);
  expect(await at({ payment, believes: 'paid' })).toMatchObject({ status: 201, body: { saleId: payment } });
  expect((await at({ payment, accountId: 'other', believes: 'paid' })).status).toBe(404);
  await harness.services.accounts.createAccount({
    id: 'other',
    name: 'Other',
    currency: 'EUR',
    merchantId: 'M2',
  });
  const others = harness.services.beliefs.pathOf('other');
  const foreign = await harness.call('POST', others, { body: { payment, believes: 'paid' }, token: 'none' });
  expect(foreign.status).toBe(404);
  const wrong = await harness.call('POST', `${path}x`, {
    body: { payment, believes: 'paid' },
    token: 'none',
  });
  expect(wrong).toMatchObject({ status: 404, body: { error: 'routeNotFound' } });
  await harness.call('GET', path, { token: 'none' });
  await harness.call('POST', `${path}/more`, { body: {}, token: 'none' });
  await harness.call('POST', `/x${path}`, { body: {}, token: 'none' });
  const journal = JSON.stringify(harness.runtime.journal.since());
  expect(journal).not.toContain(path.slice('/beliefs/belief_'.length));
  expect(harness.journal('belief.stated')).toHaveLength(1);
  const received = harness.journal('http.received').map(({ data }) => data.path);
  expect(received.filter((each) => each.includes('beliefs'))).toEqual([
    '/beliefs/****/more',
    '/x/beliefs/****',
  ]);
});

test('the secret address accepts 20 beliefs per real second, and none that a proxy forwarded (B243)', async () => {
  const realClock = new VirtualClock({ startMs: 0 });
  harness = await PaymentsHarness.start({
    runtime: { ...createRuntime({ clock: 'virtual', seed: 7 }), realClock },
  });
  const payment = await sold('order-1');
  const url = harness.url + harness.services.beliefs.pathOf(testIds.account);
  const passedOn = { 'x-forwarded-for': '203.0.113.9', 'content-type': 'application/json' };
  const believed = JSON.stringify({ payment, believes: 'paid' });
  for (const notThere of [
    fetch(url, { method: 'POST', headers: passedOn, body: believed }),
    fetch(url, { method: 'POST', headers: passedOn, body: '{"believes":"maybe"}' }),
    fetch(url, { method: 'POST', headers: passedOn, body: ' '.repeat(9_000) }),
    fetch(url, { headers: passedOn }),
    fetch(`${url}x`, { method: 'POST', body: 'no JSON' }),
  ]) {
    const answer = await notThere;
    expect([answer.status, await answer.json()]).toMatchObject([404, { error: 'routeNotFound' }]);
  }
  expect((await at({ believes: 'maybe' })).status).toBe(400);
  for (let stated = 1; stated < 20; stated++)
    expect((await at({ payment, believes: 'paid' })).status).toBe(201);
  const refused = await at({ payment, believes: 'paid' });
  expect(refused).toMatchObject({ status: 429, body: { error: 'rateLimited' } });
  expect(refused.headers.get('retry-after')).toBe('1');
  await realClock.advance(999);
  expect((await at({ payment, believes: 'paid' })).status).toBe(429);
  await realClock.advance(1);
  expect((await at({ payment, believes: 'paid' })).status).toBe(201);
});

const elsewhere = Object.values(networkInterfaces())
  .flat()
  .find((each) => each?.family === 'IPv4' && !each.internal)?.address;

test.skipIf(elsewhere === undefined)(
  'the secret address does not exist for other machines (B243)',
  async () => {
    harness = await PaymentsHarness.start({ host: '0.0.0.0' });
    const payment = await sold('order-1');
    const path = harness.services.beliefs.pathOf(testIds.account);
    const url = harness.url.replace('127.0.0.1', elsewhere ?? '');
    const answer = await fetch(url + path, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ payment, believes: 'paid' }),
    });
    expect([answer.status, await answer.json()]).toMatchObject([404, { error: 'routeNotFound' }]);
  },
);

test('a belief can be about a sale from before a restart (B242)', async () => {
  const file = temporaryDatabaseFile();
  harness = await PaymentsHarness.start({ file });
  const payment = await sold('order-1');
  await harness.stop();
  harness = await PaymentsHarness.start({ file, runtime: createRuntime({ clock: 'virtual', seed: 8 }) });
  expect((await state({ saleReferenceId: 'order-1', believes: 'notPaid' })).body).toMatchObject({
    saleId: payment,
  });
  expect(await get(payment)).toMatchObject({ charged: 25, findings: [{ rule: 'wrong-belief' }] });
});
