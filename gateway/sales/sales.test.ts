import { afterEach, expect, test } from 'vitest';
import { createRuntime } from '../../shared/create-runtime.ts';
import { temporaryDatabaseFile } from '../../shared/database/temporary-file.fixture.ts';
import type { Sale } from '../../shared/sales/sale.ts';
import { VirtualClock } from '../../shared/virtual-clock.ts';
import { minute, PaymentsHarness, testIds } from '../payments/payments-harness.fixture.ts';

let harness: PaymentsHarness;
afterEach(() => harness.stop());

const control = { token: 'control-token-of-test' };

async function get(path: string) {
  return (await harness.call('GET', path, control)).body as never;
}

async function list(query = ''): Promise<Sale[]> {
  return ((await get(`/control/sales${query}`)) as { sales: Sale[] }).sales;
}

const named = (saleReferenceId: string) => ({ more: { saleData: { saleReferenceId } } });

test('a sale shows its payment, its calls and the results that were told (B235)', async () => {
  harness = await PaymentsHarness.start();
  const terminal = await harness.terminal().connect();
  const paying = harness.pay(25, { key: 'k1', ...named('order-1') });
  await terminal.pay();
  const { identifier } = (await paying).body;
  await harness.call('GET', '/payment-requests/status?idempotencyKey=k1');
  const [sale] = await list();
  expect(sale).toMatchObject({
    saleId: identifier,
    accountId: testIds.account,
    terminal: 'V400m-1',
    saleReferenceId: 'order-1',
    idempotencyKey: 'k1',
    amount: 25,
    callsText: 'POST, status',
    outcomeText: 'approved',
    charged: 25,
    told: 'told',
  });
  expect(await get(`/control/sales/${identifier}`)).toEqual(sale);
});

test('after a restart the sales are shown from the stored payments, without their calls', async () => {
  const file = temporaryDatabaseFile();
  harness = await PaymentsHarness.start({ file });
  const terminal = await harness.terminal().connect();
  for (const key of ['k1', 'k2']) {
    const paying = harness.pay(25, { key, ...named('order-1') });
    await terminal.pay();
    await paying;
  }
  const [before] = await list();
  expect(harness.journal('http.answered')[0]?.data).toMatchObject({ outcomeOf: before?.saleId });
  await harness.stop();
  const runtime = createRuntime({ clock: 'virtual', seed: 8 });
  harness = await PaymentsHarness.start({ file, runtime });
  const [sale, ...others] = await list();
  expect(others).toEqual([]);
  expect(sale).toMatchObject({
    saleId: before?.saleId,
    saleReferenceId: 'order-1',
    charged: 50,
    callsKnown: false,
    callsText: 'calls unknown',
    told: 'unknown',
  });
  const second = await harness.terminal().connect();
  const paying = harness.pay(30, { key: 'k3', ...named('order-1') });
  await second.pay();
  await paying;
  const [all, ...more] = await list();
  expect(more).toEqual([]);
  expect(all).toMatchObject({ charged: 80, callsText: 'earlier calls unknown, POST', told: 'unknown' });
  expect(all?.attempts.map(({ told }) => told)).toEqual(['unknown', 'unknown', 'told']);
});

test('after a restart a sale that pinpad itself made is still marked as such (B238)', async () => {
  const file = temporaryDatabaseFile();
  harness = await PaymentsHarness.start({ file });
  const terminal = await harness.terminal().connect();
  for (const key of ['pinpad-screen-7KQ2MZ9RT4', 'screen-7KQ2MZ9RT4']) {
    const paying = harness.pay(25, { key });
    await terminal.pay();
    await paying;
  }
  await harness.stop();
  harness = await PaymentsHarness.start({ file, runtime: createRuntime({ clock: 'virtual', seed: 8 }) });
  expect((await list()).map(({ own }) => own)).toEqual([null, 'screen']);
});

test('pages continue without a gap or a repetition, including refused requests', async () => {
  harness = await PaymentsHarness.start();
  for (let sale = 1; sale <= 7; sale++) {
    await harness.pay(sale % 3 === 0 ? -1 : sale, { key: `k${sale}`, headers: { prefer: 'respond-async' } });
    await harness.clock.advance(minute);
  }
  const all = await list();
  expect(all.map(({ idempotencyKey }) => idempotencyKey)).toEqual(['k7', 'k6', 'k5', 'k4', 'k3', 'k2', 'k1']);
  const paged: Sale[] = [];
  for (let before = ''; ; ) {
    const page = (await get(`/control/sales?limit=2${before}`)) as { sales: Sale[]; next?: string };
    paged.push(...page.sales);
    if (page.next === undefined) break;
    before = `&before=${page.next}`;
  }
  expect(paged).toEqual(all);
});

test('sales are found by each filter of the query', async () => {
  harness = await PaymentsHarness.start();
  const terminal = await harness.terminal().connect();
  const paying = harness.pay(25, { key: 'k1', ...named('order-1') });
  await terminal.pay();
  await paying;
  await harness.pay(-1, { key: 'k2' });
  const keys = async (query: string) => (await list(query)).map(({ idempotencyKey }) => idempotencyKey);
  expect(await keys('?saleReferenceId=order-1')).toEqual(['k1']);
  expect(await keys('?idempotencyKey=k2')).toEqual(['k2']);
  expect(await keys('?terminal=V400m-1')).toEqual(['k2', 'k1']);
  expect(await keys('?terminal=V400m-2')).toEqual([]);
  expect(await keys('?outcome=refused')).toEqual(['k2']);
  expect(await keys('?told=told')).toEqual(['k1']);
  expect(await keys('?kind=charge')).toEqual([]);
  expect(await keys('?own=true')).toEqual([]);
  expect(await keys('?findings=false')).toEqual(['k2', 'k1']);
  expect(await harness.call('GET', '/control/sales?terminal=none', control)).toMatchObject({ status: 404 });
  expect(await harness.call('GET', '/control/sales/none', control)).toMatchObject({ status: 404 });
});

test('a refused sale is shown at the terminal that its request named, if its account has it (B402)', async () => {
  harness = await PaymentsHarness.start();
  await harness.pay(-1, { key: 'k1' });
  const order = { paymentTransaction: { amountsReq: { requestedAmount: 5 } } };
  await harness.call('POST', '/terminals/none/payment-request', { body: order });
  expect((await list()).map(({ terminal, outcomeText }) => [terminal, outcomeText])).toEqual([
    [null, 'refused: 404 terminalNotFound'],
    ['V400m-1', 'refused: 400 invalidAmount'],
  ]);
  expect(await list('?terminal=V400m-1')).toMatchObject([{ idempotencyKey: 'k1' }]);
});

test('the stream sends the latest sales, and then each sale that changes', async () => {
  harness = await PaymentsHarness.start();
  await harness.pay(-1, { key: 'k1' });
  const stop = new AbortController();
  const response = await fetch(`${harness.url}/control/sales/stream?recent=5`, {
    headers: { authorization: `Bearer ${control.token}` },
    signal: stop.signal,
  });
  const reader = (response.body as ReadableStream<Uint8Array>)
    .pipeThrough(new TextDecoderStream())
    .getReader();
  let text = '';
  const shows = async (part: string) => {
    while (!text.includes(part)) text += (await reader.read()).value;
  };
  await shows('refused: 400');
  const terminal = await harness.terminal().connect();
  const paying = harness.pay(25, { key: 'k2' });
  await terminal.pay();
  await paying;
  await shows('"told":"told"');
  const events = text.split('\n\n').flatMap((event) => /^data: (.*)$/m.exec(event)?.[1] ?? []);
  const shown = events
    .map((data) => JSON.parse(data) as Sale)
    .map(({ idempotencyKey, outcomeText }) => [idempotencyKey, outcomeText]);
  expect(shown[0]).toEqual(['k1', 'refused: 400 invalidAmount']);
  expect(shown.at(-1)).toEqual(['k2', 'approved']);
  stop.abort();
});

test('a sale shows as unknown what the journal dropped unread', async () => {
  const runtime = createRuntime({ clock: 'virtual', seed: 7, journal: { entries: 40 } });
  harness = await PaymentsHarness.start({ runtime });
  const terminal = await harness.terminal().connect();
  const pay = async (key: string) => {
    const paying = harness.pay(25, { key });
    await terminal.pay();
    return (await paying).body.identifier;
  };
  const first = await pay('k1');
  expect(await list()).toMatchObject([{ saleId: first, told: 'told' }]);
  for (let sale = 2; sale <= 6; sale++) await pay(`k${sale}`);
  const sales = await list();
  expect(sales).toHaveLength(6);
  expect(sales[0]).toMatchObject({ told: 'told', callsText: 'POST' });
  expect(sales.at(-1)).toMatchObject({ saleId: first, told: 'unknown', callsText: 'calls unknown' });
});

test('the books list outcomes that were not told a minute after the payment ended (B241)', async () => {
  harness = await PaymentsHarness.start();
  const terminal = await harness.terminal().connect();
  const leaves = new AbortController();
  const paying = harness
    .call('POST', `/terminals/${testIds.terminal}/payment-request`, {
      body: { paymentTransaction: { amountsReq: { requestedAmount: 25 } } },
      headers: { 'idempotency-key': 'k1' },
      signal: leaves.signal,
    })
    .catch(() => undefined);
  await harness.seen('payment.accepted');
  leaves.abort();
  await paying;
  await harness.seen('http.hungUp');
  await terminal.pay();
  const books = async () => (await get('/control/books')) as { agree: boolean; untold: { why: string }[] };
  await harness.clock.advance(minute);
  expect(await books()).toMatchObject({ agree: true, untold: [] });
  await harness.clock.advance(1);
  const untold = await books();
  expect(untold).toMatchObject({
    agree: true,
    untold: [{ amount: 25, currency: 'EUR', idempotencyKey: 'k1' }],
  });
  expect(untold.untold[0]?.why).toMatch(/the POS has not received the outcome/);
  await harness.call('GET', '/payment-requests/status?idempotencyKey=k1');
  expect(await books()).toMatchObject({ untold: [] });
});

test('a payment of an older release is found by the reference in its message', async () => {
  const file = temporaryDatabaseFile();
  harness = await PaymentsHarness.start({ file });
  await harness.pay(25, { ...named('order-1'), headers: { prefer: 'respond-async' } });
  await harness.tamper((db) => db.updateTable('payments').set({ sale_reference_id: null }).execute());
  await harness.stop();
  harness = await PaymentsHarness.start({ file, runtime: createRuntime({ clock: 'virtual', seed: 8 }) });
  expect(await list()).toMatchObject([{ saleReferenceId: 'order-1' }]);
});

test('a missing follow-up request is found while somebody watches, even if nothing else happens (B255)', async () => {
  const realClock = new VirtualClock({ startMs: 0 });
  const runtime = createRuntime({ clock: 'virtual', seed: 1, realClock });
  harness = await PaymentsHarness.start({ runtime, lint: true });
  const found = new Set<string>();
  const stop = harness.services.sales.listen(({ findings }) => {
    for (const { rule } of findings) found.add(rule);
  });
  const terminal = await harness.terminal().connect();
  const paying = harness.pay(25, { key: 'k' });
  await terminal.next('PaymentRequest');
  await harness.clock.advance(150_000);
  expect((await paying).status).toBe(303);
  await harness.clock.advance(2 * minute);
  expect([...found]).toEqual([]);
  for (let rounds = 0; rounds < 3; rounds++) await realClock.advance(5_000);
  expect([...found]).toEqual(['ignored-303']);
  stop();
});
