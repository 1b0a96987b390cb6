import { afterEach, expect, test } from 'vitest';
import { fillDatabase } from '../../shared/database/full-database.fixture.ts';
import { temporaryDatabaseFile } from '../../shared/database/temporary-file.fixture.ts';
import { minute, PaymentsHarness } from './payments-harness.fixture.ts';

/** What cannot be written (B68), with a database that is full for as long as a test wants. */

let harness: PaymentsHarness;
afterEach(() => harness.stop());

const second = 1_000;
const full = () => fillDatabase((work) => harness.tamper(work as never));
const outcome = async (id: string) => (await harness.status(id)).body.response;

test('a new request is answered 503 with Retry-After and leaves nothing behind; repeated later it is taken', async () => {
  harness = await PaymentsHarness.start({ file: temporaryDatabaseFile() });
  const terminal = await harness.terminal().connect();
  const mend = await full();
  const { status, body, headers } = await harness.pay(25, { key: 'k' });
  expect({ status, error: body.error, wait: headers.get('retry-after') }).toEqual({
    status: 503,
    error: 'unavailable',
    wait: '1',
  });
  await mend();
  const paying = harness.pay(25, { key: 'k' });
  await terminal.pay();
  expect((await paying).body.response).toMatchObject({ result: 'success' });
});

test('a held request is answered 303 at its cap, and the undelivered payment concludes once that can be written', async () => {
  harness = await PaymentsHarness.start({ file: temporaryDatabaseFile() });
  const paying = harness.pay(25);
  await harness.seen('payment.accepted');
  const mend = await full();
  await harness.clock.advance(150 * second);
  const { status, body } = await paying;
  expect(status).toBe(303);
  await harness.clock.advance(10 * minute);
  expect(harness.journal('payment.concluded')).toEqual([]);
  await mend();
  await harness.clock.advance(30 * second);
  expect(await outcome(body.identifier)).toMatchObject({ errorCondition: 'unreachableHost' });
});

test('a payment whose cap passed meanwhile is not delivered when its terminal comes', async () => {
  harness = await PaymentsHarness.start({ file: temporaryDatabaseFile() });
  const paying = harness.pay(25);
  await harness.seen('payment.accepted');
  const mend = await full();
  await harness.clock.advance(150 * second);
  const { identifier } = (await paying).body;
  await mend();
  const terminal = await harness.terminal().connect();
  await harness.settle();
  await harness.clock.advance(30 * second);
  expect(await outcome(identifier)).toMatchObject({ errorCondition: 'unreachableHost' });
  expect(terminal.received).toEqual([]);
});

test('a delivery that could not be written is tried again before the cap', async () => {
  harness = await PaymentsHarness.start({ file: temporaryDatabaseFile() });
  const paying = harness.pay(25);
  await harness.seen('payment.accepted');
  const mend = await full();
  const terminal = await harness.terminal().connect();
  await harness.clock.advance(20 * second);
  expect(terminal.received).toEqual([]);
  await mend();
  const delivered = terminal.next('PaymentRequest');
  await harness.clock.advance(30 * second);
  const request = await delivered;
  await terminal.authorize(request);
  terminal.approve(request);
  expect((await paying).body.response).toMatchObject({ result: 'success' });
});

test('a lost payment is given up at its deadline or, where that cannot be written, soon after; its terminal is free then', async () => {
  harness = await PaymentsHarness.start({ file: temporaryDatabaseFile() });
  const terminal = await harness.terminal().connect();
  const paying = harness.pay(25);
  await terminal.authorize(await terminal.next('PaymentRequest'));
  terminal.link?.close();
  await harness.seen('payment.lost');
  const mend = await full();
  await harness.clock.advance(200 * second);
  const { identifier } = (await paying).body;
  await mend();
  await harness.clock.advance(30 * second);
  expect(await outcome(identifier)).toMatchObject({ errorCondition: 'deviceOut' });
  expect(await harness.booksAgree()).toMatchObject({ agree: true, concluded: 1, open: 0 });
  const next = harness.pay(30);
  await (await harness.terminal().connect()).pay();
  expect((await next).body.response).toMatchObject({ result: 'success' });
});

test('a payment that cannot be written is warned of once, however often it is tried', async () => {
  harness = await PaymentsHarness.start({ file: temporaryDatabaseFile() });
  const paying = harness.pay(25);
  await harness.seen('payment.accepted');
  const mend = await full();
  await harness.clock.advance(10 * minute);
  await paying;
  expect(harness.journal('warning').map(({ data }) => data.message)).toEqual([
    'payment could not be written: database or disk is full',
  ]);
  await mend();
});
