import { afterEach, describe, expect, test } from 'vitest';
import { createRuntime } from '../../shared/create-runtime.ts';
import { until } from '../../test/until.ts';
import { PaymentsHarness, testIds } from './payments-harness.fixture.ts';

let harness: PaymentsHarness;
afterEach(() => harness.stop());

const second = 1_000;
const turn = () => new Promise((resolve) => setImmediate(resolve));

/** Makes every write wait until the returned function is called. */
function busyDisk(): () => Promise<unknown> {
  const free = Promise.withResolvers<void>();
  const written = harness.tamper(() => free.promise);
  return () => {
    free.resolve();
    return written;
  };
}

/** Makes every commit wait until the returned function is called. Reading still works. */
function holdCommits(): () => void {
  const free = Promise.withResolvers<void>();
  const { store } = harness.services;
  const commit = store.commit.bind(store);
  store.commit = (batch) => free.promise.then(() => commit(batch));
  return () => free.resolve();
}

/** Makes every read wait until the returned function is called. Writing still works. */
function holdReads(): () => void {
  const free = Promise.withResolvers<void>();
  const { store } = harness.services;
  const read = store.read.bind(store);
  store.read = (query) => free.promise.then(() => read(query));
  return () => free.resolve();
}

/** Moves the time forward although work is under way. Virtual time normally waits for work, but real time does not. */
const pass = (ms: number) => harness.clock.startAt(harness.clock.now() + ms);

/** Sends a payment request. The gateway decides on the request, and then waits for the disk. */
async function paymentOnBusyDisk() {
  harness = await PaymentsHarness.start();
  await harness.call('GET', '/terminals'); // now the token is in memory, so the payment request reads nothing
  const free = busyDisk();
  const paying = harness.pay(25);
  await until('the payment request has arrived', () => harness.journal('http.received').length === 2);
  await turn();
  return { paying, free };
}

test('the time limit is 150 s after the decision on the payment, however long the disk took to store it (B41)', async () => {
  const { paying, free } = await paymentOnBusyDisk();
  pass(60 * second);
  await free();
  await harness.seen('payment.accepted');
  await harness.clock.advance(90 * second - 1);
  expect(harness.journal('payment.concluded')).toEqual([]);
  await harness.clock.advance(1);
  expect((await paying).status).toBe(303);
  expect(harness.journal('payment.concluded')).toHaveLength(1);
});

test('a time limit that passed while the disk was busy applies as soon as the payment is stored', async () => {
  const { paying, free } = await paymentOnBusyDisk();
  pass(200 * second);
  await free();
  await harness.seen('payment.concluded');
  expect((await paying).status).toBe(303);
});

test('a payment that is stored after its time limit is not sent to its connected terminal (B68)', async () => {
  harness = await PaymentsHarness.start();
  const terminal = await harness.terminal().connect();
  await harness.call('GET', '/terminals');
  const free = busyDisk();
  const paying = harness.pay(25);
  await until('the payment request has arrived', () => harness.journal('http.received').length === 2);
  await turn();
  pass(200 * second);
  await free();
  expect((await paying).status).toBe(303);
  const asked = await terminal.next('TransactionStatusRequest');
  terminal.answerStatus(asked, 'NotFound');
  await harness.seen('payment.concluded');
  expect(terminal.received).toEqual([]);
});

test('the waiting time of an abort begins with its request, however long the disk took to store it (B54, B68)', async () => {
  harness = await PaymentsHarness.start();
  const terminal = await harness.terminal().connect();
  const paying = harness.pay(25, { key: 'k' });
  await terminal.next('PaymentRequest');
  // The terminal disconnects, so nothing acknowledges the abort.
  terminal.link?.close();
  await harness.seen('payment.lost');
  const free = holdCommits();
  const aborting = harness.call('POST', '/payment-requests/abort', { body: { idempotencyKey: 'k' } });
  await until('the abort is asked for', () => harness.journal('payment.abortRequested').length === 1);
  pass(20 * second);
  free();
  const answers = () =>
    harness
      .journal('http.answered')
      .filter(({ data }) => data.path.endsWith('/abort'))
      .map(({ data }) => data.status);
  await harness.clock.advance(10 * second - 1);
  expect(answers()).toEqual([]);
  await harness.clock.advance(1);
  expect(answers()).toEqual([504]);
  await aborting;
  await harness.clock.advance(150 * second);
  await paying;
});

/** These tests use real time. In real time the database can hang for longer than a request may wait. */
describe('while the store stands still', () => {
  const cap = 300;
  const runtime = () =>
    createRuntime({ timeouts: { paymentCapMs: cap, statusHoldMs: 100, abortHoldMs: 100 } });
  const unavailable = { status: 503, body: { error: 'unavailable' } };

  async function started() {
    harness = await PaymentsHarness.start({ runtime: runtime() });
    await harness.call('GET', '/terminals');
    const terminal = await harness.terminal().connect();
    return terminal;
  }

  test('a payment request that cannot be stored gets 503 at its time limit, and its key finds the payment later (B42)', async () => {
    const terminal = await started();
    const free = busyDisk();
    const first = harness.pay(25, { key: 'k' });
    const again = harness.pay(25, { key: 'k' });
    for (const reply of [await first, await again]) {
      expect(reply).toMatchObject(unavailable);
      expect(reply.headers.get('retry-after')).toBe('1');
    }
    await free();
    const found = await harness.call('GET', '/payment-requests/status?idempotencyKey=k');
    const { status, body } = await harness.pay(25, { key: 'k' });
    expect(status).toBe(303);
    expect(body.identifier).toBe(found.body.identifier);
    expect(harness.journal('payment.accepted')).toHaveLength(1);
    expect(terminal.received.filter(({ kind }) => kind === 'PaymentRequest')).toEqual([]);
  });

  test('a payment that waits for its turn behind it gets 503 at its own time limit, and is not made', async () => {
    await started();
    const free = busyDisk();
    const before = harness.pay(25, { key: 'before' });
    const behind = harness.pay(5, { key: 'behind' });
    expect(await before).toMatchObject(unavailable);
    expect(await behind).toMatchObject(unavailable);
    await free();
  });

  test('a payment that is stored still gets 303 at its time limit', async () => {
    const terminal = await started();
    const paying = harness.pay(25);
    await terminal.next('PaymentRequest');
    const free = busyDisk();
    expect((await paying).status).toBe(303);
    await free();
  });

  test('an abort or a status whose payment cannot be read gets 503 at the end of its waiting time', async () => {
    const terminal = await started();
    const paying = harness.pay(25, { key: 'k' });
    await terminal.next('PaymentRequest');
    const free = holdReads();
    const status = harness.call('GET', '/payment-requests/status?idempotencyKey=k');
    expect(await abort()).toMatchObject(unavailable);
    expect(await status).toMatchObject(unavailable);
    free();
    expect((await paying).status).toBe(303);
  });

  test('an abort that cannot be stored gets 503 at its time limit, never 204, and reaches the terminal later (B54)', async () => {
    const terminal = await started();
    const paying = harness.pay(25, { key: 'k' });
    const request = await terminal.next('PaymentRequest');
    const free = holdCommits();
    const reply = await abort();
    expect(reply).toMatchObject(unavailable);
    expect(reply.headers.get('retry-after')).toBe('1');
    free();
    await terminal.next('AbortRequest');
    terminal.refuse(request, 'Aborted');
    await paying;
  });

  test('a call that answers at once says "not known" when its time is up, instead of never answering', async () => {
    const terminal = await started();
    const paying = harness.pay(25, { key: 'k' });
    const request = await terminal.next('PaymentRequest');
    const { payments } = harness.services;
    const caller = { accountId: testIds.account, environment: 'sandbox', tokenId: 'token' } as const;
    const reference = { idempotencyKey: 'k' };
    const unread = holdReads();
    const now = () => ({ arrivedAt: harness.clock.monotonic() });
    await expect(payments.statusNow(caller, reference, now())).rejects.toMatchObject(notInTime);
    await expect(payments.abortNow(caller, reference, now())).rejects.toMatchObject(notInTime);
    unread();
    const unwritten = holdCommits();
    await expect(payments.abortNow(caller, reference, now())).rejects.toMatchObject(notInTime);
    unwritten();
    await terminal.next('AbortRequest');
    terminal.refuse(request, 'Aborted');
    await paying;
  });

  test('a request about a saved card also gets 503, and says that it may have been carried out', async () => {
    await started();
    const free = busyDisk();
    const body = { amount: 5, reason: 'other' };
    const refund = await harness.call('POST', `/debit/${testIds.terminal}/refunds`, { body });
    expect(refund).toMatchObject({
      ...unavailable,
      body: { message: expect.stringContaining('check this before you send the request again') },
    });
    await free();
  });

  const notInTime = { code: 'unavailable' };
  const abort = () => harness.call('POST', '/payment-requests/abort', { body: { idempotencyKey: 'k' } });
});
