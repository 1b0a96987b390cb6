import { expect, test } from 'vitest';
import { type Result, stackBed } from './stack-bed.ts';

/** Long waits of the specification, over real HTTP and WebSockets, in no time. */

const hour = 3_600_000;

test('a payment nobody pays is answered 303 at 150 s and concludes by the terminal at 120 s of no card', async () => {
  const bed = await stackBed();
  const held = bed.pay(10);
  await bed.until('presentCard');
  await bed.advance(119_999);
  expect((await bed.control<{ state: string }>('GET', `/terminals/${bed.poiId}/screen`)).body.state).toBe(
    'presentCard',
  );
  await bed.advance(1);
  const answer = await held;
  expect(answer.status).toBe(200);
  expect(answer.body.response).toMatchObject({ result: 'failure', errorCondition: 'cancel' });
});

test('a payment still running at 150 s answers 303, and the status call holds until the outcome', async () => {
  const bed = await stackBed();
  const held = bed.pay(10, { gratuity: { enabled: true } });
  await bed.until('tip');
  await bed.advance(59_000);
  await bed.act('press', { key: '1' });
  await bed.advance(95_000);
  const answer = await held;
  expect(answer.status).toBe(303);
  expect(answer.body).toEqual({ identifier: expect.any(String), status: 'inProgress' });
  const location = answer.headers.get('location') ?? '';
  const polling = bed.http('GET', location);
  await bed.act('insert', { card: 'visa-credit' });
  await bed.until('pin');
  await bed.act('press', { keys: ['1', '2', '3', '4', 'enter'] });
  const outcome = await polling;
  expect(outcome.status).toBe(200);
  expect(outcome.body).toMatchObject({ identifier: answer.body.identifier, response: { result: 'success' } });
});

test('a status call of a payment in progress is answered 202 after 30 s', async () => {
  const bed = await stackBed();
  void bed.pay(10, {}, { 'idempotency-key': 'slow' });
  await bed.until('presentCard');
  const polling = bed.http('GET', '/payment-requests/status?idempotencyKey=slow');
  await bed.settled();
  await bed.advance(30_000);
  const answer = await polling;
  expect(answer.status).toBe(202);
  expect(answer.headers.get('retry-after')).toBe('1');
  const answered = bed
    .journal('http.answered')
    .map(({ data }) => data as { path: string; durationMs: number });
  expect(answered.filter(({ path }) => path.startsWith('/payment-requests/status'))).toMatchObject([
    { durationMs: 30_000 },
  ]);
  await bed.advance(100_000);
});

test('a PIN nobody types ends the payment after 60 s', async () => {
  const bed = await stackBed();
  const held = bed.pay(10);
  await bed.until('presentCard');
  await bed.act('insert', { card: 'visa-credit' });
  await bed.until('pin');
  await bed.advance(60_000);
  expect((await held).body.response).toMatchObject({ errorCondition: 'cancel' });
});

test('the latest request on a terminal is forgotten after 48 h', async () => {
  const bed = await stackBed({ shopper: { card: 'visa-credit', entry: 'ICC', tip: 'none', thinkMs: 0 } });
  const paid = await bed.pay(10);
  const latest = () => bed.http<Result>('GET', `/terminals/${bed.terminalId}/payment-request`);
  await bed.advance(48 * hour - 60_000);
  expect((await latest()).body.identifier).toBe(paid.body.identifier);
  await bed.advance(120_000);
  expect((await latest()).status).toBe(404);
});

test('an idempotency key answers for 48 h from the end of its payment', async () => {
  const bed = await stackBed({ shopper: { card: 'visa-credit', entry: 'ICC', tip: 'none', thinkMs: 0 } });
  const key = { 'idempotency-key': 'once' };
  const first = await bed.pay(10, {}, key);
  await bed.advance(47 * hour);
  expect((await bed.pay(10, {}, key)).body).toEqual(first.body);
  await bed.advance(2 * hour);
  expect((await bed.pay(10, {}, key)).body.identifier).not.toBe(first.body.identifier);
});

test('the same run with the same seed gives the same journal', async () => {
  const run = async () => {
    const bed = await stackBed({ seed: 42 });
    const held = bed.pay(42.5, { gratuity: { enabled: true } }, { 'idempotency-key': 'a' });
    await bed.until('tip');
    await bed.act('press', { key: '2' });
    await bed.until('presentCard');
    await bed.advance(5_000);
    await bed.act('insert', { card: 'visa-credit' });
    await bed.until('pin');
    await bed.act('press', { keys: ['9', '9', '9', '9', 'enter'] });
    await bed.advance(5_000);
    await bed.until('pin');
    await bed.act('press', { keys: ['1', '2', '3', '4', 'enter'] });
    await held;
    await bed.act('remove');
    await bed.settled();
    const lines = bed.journal().map((entry) => JSON.stringify(entry).replaceAll(bed.stack.url, 'URL'));
    await bed.stack.close();
    return lines;
  };
  const first = await run();
  expect(first.length).toBeGreaterThan(40);
  for (let again = 0; again < 5; again++) expect(await run()).toEqual(first);
});
