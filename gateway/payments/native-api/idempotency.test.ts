import { connect } from 'node:net';
import { afterEach, describe, expect, test } from 'vitest';
import { stringifyCanonicalJson } from '../../../shared/canonical-json.ts';
import { temporaryDatabaseFile } from '../../../shared/database/temporary-file.fixture.ts';
import type { Services } from '../../services.ts';
import { hour, PaymentsHarness, testIds } from '../payments-harness.fixture.ts';
import { hashRequest } from './idempotency.ts';

describe('canonical JSON', () => {
  test('ignores the order of fields, and nothing else (B56)', () => {
    expect(stringifyCanonicalJson({ b: [1, { d: null, c: 'x' }], a: true })).toBe(
      '{"a":true,"b":[1,{"c":"x","d":null}]}',
    );
    expect(hashRequest('t', { a: 1, b: 2 })).toBe(hashRequest('t', { b: 2, a: 1 }));
    expect(hashRequest('t', { a: [1, 2] })).not.toBe(hashRequest('t', { a: [2, 1] }));
    expect(hashRequest('t', { a: 1 })).not.toBe(hashRequest('t', { a: '1' }));
    expect(hashRequest('t', {})).not.toBe(hashRequest('u', {}));
  });

  test('handles any depth and any length', () => {
    const deep = '['.repeat(40_000) + ']'.repeat(40_000);
    expect(stringifyCanonicalJson(JSON.parse(deep))).toBe(deep);
    const long = new Array(300_000).fill(1);
    expect(stringifyCanonicalJson(long)).toBe(JSON.stringify(long));
  });
});

describe('an Idempotency-Key', () => {
  let harness: PaymentsHarness;
  afterEach(() => harness.stop());

  test('gives the same answer again without a new payment (B55)', async () => {
    harness = await PaymentsHarness.start();
    const terminal = await harness.terminal().connect();
    const reply = harness.pay(25, { key: 'k' });
    await terminal.pay();
    const first = await reply;
    const again = await harness.pay(25, { key: 'k' });
    expect({ status: again.status, body: again.body }).toEqual({ status: 200, body: first.body });
    expect(harness.journal('payment.accepted')).toHaveLength(1);
    expect(terminal.received).toEqual([]);
  });

  test('sent twice at once makes one payment, and both get its outcome', async () => {
    harness = await PaymentsHarness.start();
    const terminal = await harness.terminal().connect();
    const replies = Promise.all([harness.pay(25, { key: 'k' }), harness.pay(25, { key: 'k' })]);
    const request = await terminal.next('PaymentRequest');
    await harness.seen('http.received', 2);
    await terminal.authorize(request);
    terminal.approve(request);
    const [one, other] = await replies;
    expect(one?.body).toEqual(other?.body);
    expect(harness.journal('payment.accepted')).toHaveLength(1);
  });

  test('that is not in memory still finds its payment in the database', async () => {
    harness = await PaymentsHarness.start();
    const terminal = await harness.terminal().connect();
    const paying = harness.pay(25, { key: 'k' });
    await terminal.pay();
    const { identifier } = (await paying).body;
    await harness.tamper((db) => db.updateTable('payments').set({ idempotency_key: 'unheard-of' }).execute());
    const again = await harness.pay(25, { key: 'unheard-of' });
    expect(again).toMatchObject({ status: 200, body: { identifier } });
    expect((await harness.pay(26, { key: 'unheard-of' })).body.error).toBe('idempotencyKeyReused');
    expect(harness.journal('payment.accepted')).toHaveLength(1);
  });

  test('is free for a waiting request if the first request is refused', async () => {
    harness = await PaymentsHarness.start({ account: { transactionLimit: 10_000 } });
    const terminal = await harness.terminal().connect();
    // If the token is not in memory, each of the two requests first reads the token from the database. Then either of
    // them could be the first to pay. So the test first requests the list of terminals. This request puts the token
    // into memory.
    await harness.call('GET', '/terminals');
    const answers = payAtOnce(harness, 'k', [101, 25]);
    await terminal.pay();
    expect(await answers).toMatchObject([
      { error: 'amountExceedsTransactionLimit' },
      { response: { result: 'success' } },
    ]);
  });

  test('joins the payment while it runs, and has the same time limit (B57)', async () => {
    harness = await PaymentsHarness.start();
    const terminal = await harness.terminal().connect();
    const first = harness.pay(25, { key: 'k' });
    await terminal.next('PaymentRequest');
    await harness.clock.advance(100_000);
    const joined = harness.pay(25, { key: 'k' });
    await harness.seen('http.received', 2);
    await harness.clock.advance(50_000);
    expect((await first).status).toBe(303);
    expect((await joined).status).toBe(303);
    expect((await harness.pay(25, { key: 'k' })).status).toBe(303);
  });

  test('is answered for each request as its Prefer header says (B56)', async () => {
    harness = await PaymentsHarness.start();
    const terminal = await harness.terminal().connect();
    const reply = harness.pay(25, { key: 'k' });
    await terminal.pay();
    const { body } = await reply;
    const again = await harness.pay(25, { key: 'k', headers: { prefer: 'respond-async' } });
    expect(again).toMatchObject({ status: 202, body: { identifier: body.identifier } });
  });

  test.each<[string, (changing: Services) => Promise<unknown>]>([
    [
      'the currency has fewer decimals',
      ({ accounts }) => accounts.updateAccount(testIds.account, { currency: 'JPY' }),
    ],
    [
      'the limit is lower',
      ({ accounts }) => accounts.updateAccount(testIds.account, { transactionLimit: 1 }),
    ],
    [
      'the payout account is deleted',
      ({ terminals }) => terminals.updateTerminal(testIds.terminal, { payoutAccount: null }),
    ],
    ['the terminal is deleted', ({ terminals }) => terminals.deleteTerminal(testIds.terminal)],
  ])('gives the same answer again after %s (B60)', async (_, change) => {
    harness = await PaymentsHarness.start();
    const terminal = await harness.terminal().connect();
    const reply = harness.pay(25.5, { key: 'k' });
    await terminal.pay();
    const first = await reply;
    await change(harness.services);
    const again = await harness.pay(25.5, { key: 'k' });
    expect({ status: again.status, body: again.body }).toEqual({ status: 200, body: first.body });
    const inCapitals = await harness.pay(25.5, { key: 'k', terminalId: testIds.terminal.toUpperCase() });
    expect(inCapitals.body).toEqual(first.body);
    expect((await harness.pay(25.5, { key: 'another' })).status).toBeGreaterThanOrEqual(400);
    expect(harness.journal('payment.accepted')).toHaveLength(1);
  });

  test.each([
    ['a deleted terminal', testIds.terminal, 404, 'terminalNotFound'],
    ['a terminal that never was', '019b0000-0000-7000-8000-00000000000f', 404, 'terminalNotFound'],
    ['the other terminal', testIds.other, 422, 'idempotencyKeyReused'],
  ])('with another body at %s is refused (B55, B56)', async (_, terminalId, status, error) => {
    harness = await PaymentsHarness.start();
    const terminal = await harness.terminal().connect();
    const reply = harness.pay(25.5, { key: 'k' });
    await terminal.pay();
    await reply;
    await harness.services.terminals.deleteTerminal(testIds.terminal);
    expect(await harness.pay(25.25, { key: 'k', terminalId })).toMatchObject({ status, body: { error } });
  });

  test('with another body is refused for that before the currency is checked, but after general validation', async () => {
    harness = await PaymentsHarness.start({ account: { currency: 'JPY' } });
    await harness.pay(25, { key: 'k', headers: { prefer: 'respond-async' } });
    expect((await harness.pay(25.5, { key: 'k' })).body.error).toBe('idempotencyKeyReused');
    const fixed = (value: number) => ({ gratuity: { enabled: true, options: [{ type: 'fixed', value }] } });
    expect((await harness.pay(-1, { key: 'k' })).body.error).toBe('invalidAmount');
    expect((await harness.pay(100_000_000, { key: 'k' })).body.error).toBe('invalidAmount');
    expect((await harness.pay(25, { key: 'k', more: fixed(1e9) })).body.error).toBe('invalidAmount');
  });

  test.each([
    ['another body', () => harness.pay(26, { key: 'k' })],
    ['another unknown field', () => harness.pay(25, { key: 'k', more: { pos: 1 } })],
    ['another terminal', () => harness.pay(25, { key: 'k', terminalId: testIds.other })],
    ['another body above the limit', () => harness.pay(20_000, { key: 'k' })],
  ])('with %s is refused (B56, B58)', async (_, reuse) => {
    harness = await PaymentsHarness.start();
    await harness.pay(25, { key: 'k', headers: { prefer: 'respond-async' } });
    expect(await reuse()).toMatchObject({ status: 422, body: { error: 'idempotencyKeyReused' } });
  });

  test('is not used up by a request that was refused (B59)', async () => {
    harness = await PaymentsHarness.start();
    expect((await harness.pay(20_000, { key: 'k' })).status).toBe(422);
    expect((await harness.pay(25, { key: 'k', headers: { prefer: 'respond-async' } })).status).toBe(202);
  });

  test('is kept for 48 hours after the conclusion, and the status by key stays (B58)', async () => {
    harness = await PaymentsHarness.start();
    const terminal = await harness.terminal().connect();
    const reply = harness.pay(25, { key: 'k' });
    await terminal.pay();
    const first = (await reply).body.identifier;
    await harness.clock.advance(48 * hour - 1);
    expect((await harness.pay(25, { key: 'k' })).body.identifier).toBe(first);
    await harness.clock.advance(1);
    const byKey = () => harness.call('GET', '/payment-requests/status?idempotencyKey=k');
    expect((await byKey()).body.identifier).toBe(first);
    const again = harness.pay(26, { key: 'k' });
    await terminal.pay();
    const second = (await again).body.identifier;
    expect(second).not.toBe(first);
    expect((await byKey()).body.identifier).toBe(second);
  });

  test('belongs to one account (B58)', async () => {
    harness = await PaymentsHarness.start();
    const terminal = await harness.terminal().connect();
    const reply = harness.pay(25, { key: 'k' });
    await terminal.pay();
    await reply;
    const { accounts, tokens, terminals } = harness.services;
    await accounts.createAccount({ id: 'other', name: 'Other', currency: 'EUR' });
    const { token = '' } = await tokens.createToken({ accountId: 'other' });
    const { id: storeId } = await terminals.createStore({ accountId: 'other', name: 'Other' });
    const { id } = await terminals.createTerminal({ poiId: 'V400m-3', storeId });
    const other = await harness.call('POST', `/terminals/${id}/payment-request`, {
      body: { paymentTransaction: { amountsReq: { requestedAmount: 77 } } },
      headers: { 'idempotency-key': 'k', prefer: 'respond-async' },
      token,
    });
    expect(other.status).toBe(202);
  });

  test('still answers after a restart, both for a concluded payment and for a running one', async () => {
    const file = temporaryDatabaseFile();
    harness = await PaymentsHarness.start({ file });
    const terminal = await harness.terminal().connect();
    const reply = harness.pay(25, { key: 'done' });
    await terminal.pay();
    const done = (await reply).body;
    await harness.pay(30, { key: 'runs', headers: { prefer: 'respond-async' } });
    const request = await terminal.next('PaymentRequest');
    await harness.stop();

    harness = await PaymentsHarness.start({ file, runtime: harness.runtime });
    expect((await harness.pay(25, { key: 'done' })).body).toEqual(done);
    const joined = harness.pay(30, { key: 'runs' });
    const back = await harness.terminal().connect();
    back.answerStatus(await back.next('TransactionStatusRequest'), 'InProgress');
    await back.authorize(request);
    back.approve(request);
    expect((await joined).body).toMatchObject({ response: { result: 'success' } });
  });
});

/**
 * Sends payment requests over one connection, so that they arrive together and in this order. Returns the bodies of the
 * answers.
 */
async function payAtOnce({ url, token }: PaymentsHarness, key: string, amounts: number[]): Promise<object[]> {
  const { hostname, port, host } = new URL(url);
  const requests = amounts.map((requestedAmount, index) => {
    const body = JSON.stringify({ paymentTransaction: { amountsReq: { requestedAmount } } });
    const head = [
      `POST /terminals/${testIds.terminal}/payment-request HTTP/1.1`,
      `Host: ${host}`,
      `Authorization: Bearer ${token}`,
      `Idempotency-Key: ${key}`,
      'Content-Type: application/json',
      `Content-Length: ${body.length}`,
      `Connection: ${index === amounts.length - 1 ? 'close' : 'keep-alive'}`,
    ];
    return `${head.join('\r\n')}\r\n\r\n${body}`;
  });
  const socket = connect(Number(port), hostname).setEncoding('utf8');
  socket.write(requests.join(''));
  const answers = (await socket.toArray()).join('').split(/(?=HTTP\/1\.1 )/);
  return answers.map((answer) => JSON.parse(answer.split('\r\n\r\n')[1] ?? ''));
}
