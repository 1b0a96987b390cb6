import { sql } from 'kysely';
import { afterEach, expect, test } from 'vitest';
import { fillDatabase } from '../../shared/database/full-database.fixture.ts';
import { temporaryDatabaseFile } from '../../shared/database/temporary-file.fixture.ts';
import { minute, PaymentsHarness, testIds } from './payments-harness.fixture.ts';

/**
 * The tests of this file show what happens if nothing can be written (B68). Each test makes the database full for some
 * time.
 */

let harness: PaymentsHarness;
afterEach(() => harness.stop());

const second = 1_000;
const full = () => fillDatabase((work) => harness.tamper(work as never));
const outcome = async (id: string) => (await harness.status(id)).body.response;

test('a new request gets 503 with Retry-After and leaves nothing behind, and is accepted when it is repeated later', async () => {
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

test('a held request gets 303 at its time limit, and the undelivered payment concludes once that can be stored', async () => {
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

test('a payment whose time limit passed meanwhile is not delivered when its terminal connects', async () => {
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

test('a delivery that could not be stored is tried again before the time limit', async () => {
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

test('a lost payment is given up at its deadline or once that can be stored, and then its terminal is free', async () => {
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

test('a payment that cannot be stored is warned about once, however often it is tried', async () => {
  harness = await PaymentsHarness.start({ file: temporaryDatabaseFile() });
  const paying = harness.pay(25);
  await harness.seen('payment.accepted');
  const mend = await full();
  await harness.clock.advance(10 * minute);
  await paying;
  expect(harness.journal('warning').map(({ data }) => data.message)).toEqual([
    'the payment could not be stored: database or disk is full',
  ]);
  await mend();
});

/**
 * Makes the disk too full to store the end of one payment. Everything else can be stored. Returns a function that frees
 * the space again.
 */
async function noRoomToEnd(id: string): Promise<() => Promise<unknown>> {
  await harness.tamper(async (db) => {
    const { rows } = await sql<{ page_count: number }>`pragma page_count`.execute(db);
    await sql.raw(`pragma max_page_count = ${rows[0]!.page_count + 500}`).execute(db);
    await sql`create table room (taken blob)`.execute(db);
    const fills = 'insert into room values (zeroblob(10000000))';
    await sql
      .raw(
        `create temp trigger full before delete on main.open_payments when old.payment_id = '${id}' begin ${fills}; end`,
      )
      .execute(db);
  });
  return () => harness.tamper((db) => sql`drop trigger full`.execute(db));
}

test('while the end of one payment cannot be stored, other payments can end (B68)', async () => {
  harness = await PaymentsHarness.start({ file: temporaryDatabaseFile() });
  const headers = { prefer: 'respond-async' };
  const stuck = (await harness.pay(25, { headers })).body.identifier;
  const other = (await harness.pay(30, { headers, terminalId: testIds.other })).body.identifier;
  const mend = await noRoomToEnd(stuck);
  await harness.clock.advance(150 * second);
  const concluded = () => harness.journal('payment.concluded').map(({ payment }) => payment);
  expect(concluded()).toEqual([other]);
  const terminal = await harness.terminal('V400m-2').connect();
  for (let times = 0; times < 3; times++) {
    const next = harness.pay(30, { terminalId: testIds.other });
    await terminal.pay();
    expect((await next).body.response).toMatchObject({ result: 'success' });
    await harness.clock.advance(20 * second);
  }
  expect(concluded()).not.toContain(stuck);
  expect(harness.journal('warning').map(({ payment, data }) => [payment, data.message])).toEqual([
    [stuck, 'the payment could not be stored: database or disk is full'],
  ]);
  await mend();
  await harness.clock.advance(30 * second);
  expect(await outcome(stuck)).toMatchObject({ errorCondition: 'unreachableHost' });
  expect(await harness.booksAgree()).toMatchObject({ agree: true, concluded: 5, open: 0 });
});
