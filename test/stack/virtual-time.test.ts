import { expect, test } from 'vitest';
import { seededLines } from '../seeded-lines.ts';
import { stackHarness, type TransactionResult } from './stack-harness.ts';

/** Tests the long waits of the service in virtual time, over real HTTP and WebSockets. */

const hour = 3_600_000;

test('a payment without a card is cancelled by the terminal after 120 s, and answered 200 (B40, B41)', async () => {
  const harness = await stackHarness();
  const held = harness.pay(10);
  await harness.until('presentCard');
  await harness.advance(119_999);
  expect(
    (await harness.control<{ state: string }>('GET', `/terminals/${harness.poiId}/screen`)).body.state,
  ).toBe('presentCard');
  await harness.advance(1);
  const answer = await held;
  expect(answer.status).toBe(200);
  expect(answer.body.response).toMatchObject({ result: 'failure', errorCondition: 'cancel' });
});

test('a payment still running at 150 s gets 303, and the status call is held until the outcome (B42, B49)', async () => {
  const harness = await stackHarness();
  const held = harness.pay(10, { gratuity: { enabled: true } });
  await harness.until('tip');
  await harness.advance(59_000);
  await harness.act('press', { key: '1' });
  await harness.advance(95_000);
  const answer = await held;
  expect(answer.status).toBe(303);
  expect(answer.body).toEqual({ identifier: expect.any(String), status: 'inProgress' });
  const location = answer.headers.get('location') ?? '';
  const polling = harness.http('GET', location);
  await harness.act('insert', { card: 'visa-credit' });
  await harness.until('pin');
  await harness.act('press', { keys: ['1', '2', '3', '4', 'enter'] });
  const outcome = await polling;
  expect(outcome.status).toBe(200);
  expect(outcome.body).toMatchObject({ identifier: answer.body.identifier, response: { result: 'success' } });
});

test('a status call of a payment in progress is answered 202 after 30 s', async () => {
  const harness = await stackHarness();
  void harness.pay(10, {}, { 'idempotency-key': 'slow' });
  await harness.until('presentCard');
  const polling = harness.http('GET', '/payment-requests/status?idempotencyKey=slow');
  await harness.settled();
  await harness.advance(30_000);
  const answer = await polling;
  expect(answer.status).toBe(202);
  expect(answer.headers.get('retry-after')).toBe('1');
  const answered = harness
    .journal('http.answered')
    .map(({ data }) => data as { path: string; durationMs: number });
  expect(answered.filter(({ path }) => path.startsWith('/payment-requests/status'))).toMatchObject([
    { durationMs: 30_000 },
  ]);
  await harness.advance(100_000);
});

test('a PIN that is not entered ends the payment after 60 s (B40)', async () => {
  const harness = await stackHarness();
  const held = harness.pay(10);
  await harness.until('presentCard');
  await harness.act('insert', { card: 'visa-credit' });
  await harness.until('pin');
  await harness.advance(60_000);
  expect((await held).body.response).toMatchObject({ errorCondition: 'cancel' });
});

test('the latest request on a terminal is forgotten after 48 h (B50)', async () => {
  const harness = await stackHarness({
    shopper: { card: 'visa-credit', entry: 'ICC', tip: 'none', thinkMs: 0 },
  });
  const paid = await harness.pay(10);
  const latest = () =>
    harness.http<TransactionResult>('GET', `/terminals/${harness.terminalId}/payment-request`);
  await harness.advance(48 * hour - 60_000);
  expect((await latest()).body.identifier).toBe(paid.body.identifier);
  await harness.advance(120_000);
  expect((await latest()).status).toBe(404);
});

test('an idempotency key answers for 48 h from the end of its payment (B58)', async () => {
  const harness = await stackHarness({
    shopper: { card: 'visa-credit', entry: 'ICC', tip: 'none', thinkMs: 0 },
  });
  const key = { 'idempotency-key': 'once' };
  const first = await harness.pay(10, {}, key);
  await harness.advance(47 * hour);
  expect((await harness.pay(10, {}, key)).body).toEqual(first.body);
  await harness.advance(2 * hour);
  expect((await harness.pay(10, {}, key)).body.identifier).not.toBe(first.body.identifier);
});

test('the same run with the same seed gives the same journal', async () => {
  const run = async () => {
    const harness = await stackHarness({ seed: 42 });
    const held = harness.pay(42.5, { gratuity: { enabled: true } }, { 'idempotency-key': 'a' });
    await harness.until('tip');
    await harness.act('press', { key: '2' });
    await harness.until('presentCard');
    await harness.advance(5_000);
    await harness.act('insert', { card: 'visa-credit' });
    await harness.until('pin');
    await harness.act('press', { keys: ['9', '9', '9', '9', 'enter'] });
    await harness.advance(5_000);
    await harness.until('pin');
    await harness.act('press', { keys: ['1', '2', '3', '4', 'enter'] });
    await held;
    await harness.act('remove');
    await harness.settled();
    const lines = seededLines(harness.journal()).map((line) => line.replaceAll(harness.stack.url, 'URL'));
    await harness.stack.close();
    return lines;
  };
  const first = await run();
  expect(first.length).toBeGreaterThan(40);
  for (let again = 0; again < 5; again++) expect(await run()).toEqual(first);
});
