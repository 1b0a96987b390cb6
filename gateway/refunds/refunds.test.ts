import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { day, hour, SavedCardsHarness } from '../saved-cards/saved-cards-harness.fixture.ts';

let harness: SavedCardsHarness;
beforeEach(async () => {
  harness = await SavedCardsHarness.start();
});
afterEach(async () => {
  expect(await harness.booksAgree()).toMatchObject({ agree: true });
  await harness.stop();
});

const unknownId = '019b0000-0000-7000-8000-000000000000';
const created = 'payments.refunds.created';
const submitted = 'payments.refunds.submitted';
const failed = 'payments.refunds.failed';

test('a refund is processing at first, and submitted after two seconds (B83, B85, B89)', async () => {
  const id = await harness.paid(25.5);
  const { status, body } = await harness.refund(id, 10, { reason_details: 'One of two items came back' });
  expect(status).toBe(201);
  expect(body).toEqual({
    id: expect.any(String),
    amount: 10,
    reason: 'customer_request',
    reason_details: 'One of two items came back',
    status: 'processing',
  });
  await harness.clock.advance(1999);
  expect(await harness.summary(id)).toEqual({
    transaction_id: id,
    captured_amount: 25.5,
    submitted_refund_amount: 0,
    processing_refund_amount: 10,
    refundable_amount: 15.5,
    blocked_refund_amount: 0,
    blocked_refund_reason: null,
    refunds: [body],
  });
  expect(await harness.ledger(id)).toEqual(['authorized 25.5', 'captured 25.5']);
  await harness.clock.advance(1);
  expect(await harness.summary(id)).toMatchObject({
    submitted_refund_amount: 10,
    processing_refund_amount: 0,
    refundable_amount: 15.5,
    refunds: [{ id: body.id, status: 'submitted' }],
  });
  expect(await harness.ledger(id)).toEqual(['authorized 25.5', 'captured 25.5', 'refunded 10']);
  expect(await harness.events(body.id)).toEqual([created, submitted]);
});

test("a refund's events contain what the real service sends (B103)", async () => {
  const id = await harness.paid(25.5);
  const { body } = await harness.refund(id, 10, { reason_details: 'Too small' });
  const [event] = await harness.gateway.events.list({ limit: 1, resourceId: body.id });
  expect(event?.data).toEqual({
    refundId: body.id,
    transactionId: id,
    status: 'processing',
    amount: '10.00',
    reason: 'customer_request',
    reasonDetails: 'Too small',
  });
});

test('several refunds can reach the amount paid, and not a cent more (B81, B87)', async () => {
  const id = await harness.paid(10);
  expect((await harness.refund(id, 10.01)).status).toBe(422);
  expect((await harness.refund(id, 3.33)).status).toBe(201);
  expect((await harness.refund(id, 3.33)).status).toBe(201);
  const { status, body } = await harness.refund(id, 3.35);
  expect(status).toBe(422);
  expect(body).toEqual({ error: 'refundExceedsRefundableAmount', message: '3.34 EUR is left to refund' });
  expect((await harness.refund(id, 3.34)).status).toBe(201);
  expect((await harness.refund(id, 0.01)).status).toBe(422);
  await harness.clock.advance(2000);
  expect(await harness.summary(id)).toMatchObject({ submitted_refund_amount: 10, refundable_amount: 0 });
});

test('many refunds at once never exceed what was paid', async () => {
  const id = await harness.paid(10);
  const replies = await Promise.all(Array.from({ length: 25 }, () => harness.refund(id, 1)));
  expect(replies.filter(({ status }) => status === 201)).toHaveLength(10);
  expect(replies.filter(({ status }) => status === 422)).toHaveLength(15);
  await harness.clock.advance(2000);
  expect(await harness.summary(id)).toMatchObject({ submitted_refund_amount: 10, refundable_amount: 0 });
  expect((await harness.events()).filter((type) => type === submitted)).toHaveLength(10);
});

test('a repeated request makes a second refund, and the journal warns (B61, B84)', async () => {
  const id = await harness.paid(10);
  const headers = { 'idempotency-key': 'the-same' };
  const [first, second] = [await harness.refund(id, 2, {}, { headers }), await harness.refund(id, 2)];
  expect(second?.body.id).not.toBe(first?.body.id);
  expect(await harness.summary(id)).toMatchObject({ processing_refund_amount: 4 });
  const warnings = harness.journal('warning').map(({ data }) => data.message);
  expect(warnings[0]).toMatch(/Idempotency-Key, which this endpoint ignores/);
  expect(warnings[1]).toMatch(`refund ${second?.body.id} repeats refund ${first?.body.id}`);
});

test('a refund that differs, follows a failed one, or comes much later does not count as a repetition', async () => {
  const id = await harness.paid(10);
  const { body } = await harness.refund(id, 2);
  await harness.refund(id, 3);
  await harness.refund(id, 2, { reason: 'duplicate' });
  await harness.refund(id, 2, { reason_details: 'the other one' });
  await harness.control('POST', `/control/refunds/${body.id}/fail`);
  await harness.refund(id, 2);
  await harness.clock.advance(2 * hour);
  await harness.refund(id, 1);
  expect(harness.journal('warning')).toEqual([]);
});

test.each([
  ['no reason', { reason: undefined }, 'reason'],
  ['an unknown reason', { reason: 'because' }, 'reason'],
  ['details of 1001 characters', { reason_details: 'x'.repeat(1001) }, 'reason_details'],
  ['an amount as text', { amount: '1' }, 'amount'],
])('%s is refused', async (_what, more, path) => {
  const { status, body } = await harness.refund(await harness.paid(10), 1, more);
  expect(status).toBe(400);
  expect(body).toMatchObject({ error: 'invalidRequest', details: [{ path }] });
});

test.each([0, -5, 0.001])('an amount of %d is refused, even for an unknown debit', async (amount) => {
  for (const id of [await harness.paid(10), unknownId]) {
    const { status, body } = await harness.refund(id, amount);
    expect(status).toBe(400);
    expect(body.error).toBe('invalidAmount');
  }
});

test.each(['customer_request', 'duplicate', 'fraudulent', 'product_not_received', 'other'])(
  'the reason %s is accepted and returned (B88)',
  async (reason) => {
    const { body } = await harness.refund(await harness.paid(10), 1, { reason });
    expect(body.reason).toBe(reason);
  },
);

describe('a refund that fails', () => {
  test('at its creation is answered 201 with failed, has one event, and reserves nothing (B85, B89)', async () => {
    const id = await harness.paid(10, 'refund-fails-at-once');
    const { status, body } = await harness.refund(id, 4);
    expect(status).toBe(201);
    expect(body.status).toBe('failed');
    expect(await harness.events(body.id)).toEqual([failed]);
    await harness.clock.advance(day);
    expect(await harness.summary(id)).toMatchObject({
      processing_refund_amount: 0,
      submitted_refund_amount: 0,
      refundable_amount: 10,
      refunds: [{ status: 'failed' }],
    });
  });

  test('while it is processed leaves the amount refundable again (B85)', async () => {
    const id = await harness.paid(10, 'refund-cannot-be-sent');
    const { body } = await harness.refund(id, 10);
    expect((await harness.refund(id, 1)).status).toBe(422);
    await harness.clock.advance(2000);
    expect(await harness.events(body.id)).toEqual([created, failed]);
    expect(await harness.ledger(id)).toEqual(['authorized 10', 'captured 10']);
    expect((await harness.refund(id, 10)).status).toBe(201);
  });

  test('after its submission returns the money at the issuer, and leaves the amount refundable again (B85)', async () => {
    const id = await harness.paid(10, 'refund-fails-later');
    const { body } = await harness.refund(id, 10);
    await harness.clock.advance(2000);
    expect(await harness.summary(id)).toMatchObject({ submitted_refund_amount: 10, refundable_amount: 0 });
    await harness.clock.advance(4999);
    expect((await harness.refund(id, 1)).status).toBe(422);
    await harness.clock.advance(1);
    expect(await harness.summary(id)).toMatchObject({ submitted_refund_amount: 0, refundable_amount: 10 });
    expect(await harness.events(body.id)).toEqual([created, submitted, failed]);
    expect(await harness.ledger(id)).toEqual(['authorized 10', 'captured 10', 'refunded 10', 'returned 10']);
    expect((await harness.refund(id, 10)).status).toBe(201);
  });

  test('because a test says so, before or after submission, does not fail a second time', async () => {
    const id = await harness.paid(10);
    const early = (await harness.refund(id, 4)).body.id;
    const fail = (refund: string) =>
      harness.control('POST', `/control/refunds/${refund}/fail`, { reason: 'account closed' });
    expect((await fail(early)).body).toMatchObject({ status: 'failed', why: 'account closed', amount: 4 });
    const late = (await harness.refund(id, 6)).body.id;
    await harness.clock.advance(2000);
    expect((await fail(late)).body).toMatchObject({ status: 'failed' });
    await harness.clock.advance(day);
    expect(await harness.events(early)).toEqual([created, failed]);
    expect(await harness.events(late)).toEqual([created, submitted, failed]);
    for (const refund of [early, late]) {
      expect((await fail(refund)).status).toBe(409);
      expect((await harness.control('POST', `/control/refunds/${refund}/submit`)).status).toBe(409);
    }
    expect(await harness.summary(id)).toMatchObject({ refundable_amount: 10 });
    expect((await fail(unknownId)).status).toBe(404);
  });
});

test('a test may submit a refund early, once (B89)', async () => {
  const id = await harness.paid(10);
  const refund = (await harness.refund(id, 4)).body.id;
  const path = `/control/refunds/${refund}/submit`;
  expect((await harness.control('POST', path)).body).toMatchObject({ status: 'submitted' });
  expect((await harness.control('POST', path)).status).toBe(409);
  await harness.clock.advance(day);
  expect(await harness.events(refund)).toEqual([created, submitted]);
  expect(await harness.ledger(id)).toEqual(['authorized 10', 'captured 10', 'refunded 4']);
});

describe('blocked amounts', () => {
  const block = (id: string, body: object) =>
    harness.control('PUT', `/control/debits/${id}/blocked-refunds`, body);

  test('limit refunds to the rest, with the reason, and do not change the refundable amount (B82, B90)', async () => {
    const id = await harness.paid(10);
    expect((await block(id, { amount: 6, reason: 'disputed' })).status).toBe(200);
    expect(await harness.summary(id)).toMatchObject({
      refundable_amount: 10,
      blocked_refund_amount: 6,
      blocked_refund_reason: 'disputed',
    });
    const { status, body } = await harness.refund(id, 4.01);
    expect(status).toBe(422);
    expect(body.message).toBe('10.00 EUR is left to refund, of which 6.00 EUR is blocked: disputed');
    expect((await harness.refund(id, 4)).status).toBe(201);
    expect((await harness.refund(id, 0.01)).status).toBe(422);
  });

  test('can be lifted', async () => {
    const id = await harness.paid(10);
    await block(id, { amount: 10 });
    expect((await harness.refund(id, 1)).status).toBe(422);
    await block(id, { amount: 0 });
    expect(await harness.summary(id)).toMatchObject({
      blocked_refund_amount: 0,
      blocked_refund_reason: null,
    });
    expect((await harness.refund(id, 10)).status).toBe(201);
  });

  test('never exceed what is left', async () => {
    const id = await harness.paid(10);
    await harness.refund(id, 4);
    expect((await block(id, { amount: 6.01 })).status).toBe(409);
    expect((await block(id, { amount: 6 })).status).toBe(200);
    expect((await block(id, { amount: 0.001 })).status).toBe(400);
    expect((await block(unknownId, { amount: 1 })).status).toBe(404);
  });
});

test('a debit that is closed to refunds stays closed, and refunds under way continue (B86)', async () => {
  const id = await harness.paid(10);
  const refund = (await harness.refund(id, 4)).body.id;
  const close = (reason: string) =>
    harness.control('POST', `/control/debits/${id}/close-refunds`, { reason });
  expect((await close('charged back')).body).toMatchObject({ closedToRefunds: 'charged back' });
  expect((await close('another reason')).body).toMatchObject({ closedToRefunds: 'charged back' });
  for (const amount of [1, 100]) {
    const { status, body } = await harness.refund(id, amount);
    expect(status).toBe(409);
    expect(body).toEqual({
      error: 'debitNotRefundable',
      message: 'The debit is permanently closed to refunds: charged back',
    });
  }
  await harness.clock.advance(2000);
  expect(await harness.events(refund)).toEqual([created, submitted]);
});

test('a debit that is not paid cannot be refunded, and has no refundable amount (B86, B91)', async () => {
  const preauthorized = (await harness.preauthorize(10)).body.debit_id;
  const declined = (await harness.charge(10, 'declined')).body.debit_id;
  const voided = (await harness.preauthorize(10)).body.debit_id;
  await harness.control('POST', `/control/debits/${voided}/expire`);
  for (const id of [preauthorized, declined, voided]) {
    const { status, body } = await harness.refund(id, 1);
    expect(status).toBe(409);
    expect(body.error).toBe('debitNotRefundable');
    expect(await harness.summary(id)).toMatchObject({
      captured_amount: 0,
      refundable_amount: 0,
      refunds: [],
    });
  }
  await harness.capture(preauthorized);
  expect((await harness.refund(preauthorized, 10)).status).toBe(201);
});

test('a terminal payment is found by its identifier, and cannot be refunded here (B81, B92)', async () => {
  const { terminals } = harness.gateway;
  const store = await terminals.createStore({ accountId: 'shop', name: 'Shop' });
  const terminal = await terminals.createTerminal({ poiId: 'V400m-1', storeId: store.id });
  const { body } = await harness.api(
    'POST',
    `/terminals/${terminal.id}/payment-request`,
    { paymentTransaction: { amountsReq: { requestedAmount: 10 } } },
    { headers: { prefer: 'respond-async' } },
  );
  const refused = await harness.refund(body.identifier, 1);
  expect(refused.status).toBe(422);
  expect(refused.body.error).toBe('debitNotPaidByCreditCard');
  const summary = await harness.api('GET', `/debit/${body.identifier}/refunds`);
  expect(summary.status).toBe(422);
  await harness.clock.advance(10 * 60_000);
});

test('an unknown debit is not found (B78)', async () => {
  for (const reply of [
    await harness.refund(unknownId, 1),
    await harness.api('GET', `/debit/${unknownId}/refunds`),
  ]) {
    expect(reply.status).toBe(404);
    expect(reply.body.error).toBe('debitNotFound');
  }
});

test('refunds continue after the gateway is started again, at their due time or at once', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'pinpad-refunds-'));
  await harness.stop();
  harness = await SavedCardsHarness.start({ folder });
  const id = await harness.paid(10, 'refund-fails-later');
  await harness.refund(id, 1);
  await harness.restart(500);
  await harness.clock.advance(1499);
  expect(await harness.summary(id)).toMatchObject({ processing_refund_amount: 1 });
  await harness.clock.advance(1);
  expect(await harness.summary(id)).toMatchObject({ submitted_refund_amount: 1 });
  await harness.restart(hour);
  await harness.clock.advance(0);
  expect(await harness.summary(id)).toMatchObject({ submitted_refund_amount: 0, refundable_amount: 10 });
  expect((await harness.events()).slice(1)).toEqual([created, submitted, failed]);
  rmSync(folder, { recursive: true });
});
