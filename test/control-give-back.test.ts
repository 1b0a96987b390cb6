import { randomUUID } from 'node:crypto';
import { afterEach, expect, test } from 'vitest';
import { type ControlHarness, controlHarness } from './control-harness.ts';

const benches: ControlHarness[] = [];
afterEach(() => Promise.all(benches.splice(0).map((harness) => harness.close())));

const at = '/control/terminals/V400m-1';

/** A shop whose shopper taps a card for every request. */
async function setup() {
  const harness = await controlHarness();
  benches.push(harness);
  const { control } = harness;
  await control('PUT', `${at}/shopper`, { card: 'visa-credit', entry: 'Contactless', thinkMs: 0 });
  const giveBack = (body: object, headers?: Record<string, string>) =>
    control('POST', `${at}/refund`, { wait: true, ...body }, headers);
  const explain = async (id: string) => (await control('GET', `/control/payments/${id}`)).body;
  const paid = async (amount: number, more?: object): Promise<string> => {
    const { body } = await harness.pay(amount, more);
    expect(body.response.result).toBe('success');
    return body.identifier;
  };
  return { ...harness, giveBack, explain, paid };
}

test('a payment is reversed in parts, and each reversal is listed with its payment (B500, B503)', async () => {
  const { giveBack, explain, paid, control } = await setup();
  const payment = await paid(25, { saleData: { saleReferenceId: 'order-1' } });

  const part = await giveBack({ payment, amount: 10, currency: 'EUR' });
  expect(part.status).toBe(200);
  const reversal = { kind: 'reversal', original: payment, state: 'concluded', result: 'success' };
  expect(part.body).toMatchObject({ ...reversal, amount: 10, total: 10, tip: null, givenBack: 0 });
  const id = part.body.identifier;
  expect(part.headers.get('location')).toBe(`/control/payments/${id}`);
  const { sale: _, told: __, toldWhy: ___, ...explained } = await explain(id);
  expect(explained).toMatchObject({ ...part.body, answer: null, decidedBy: 'host', rule: 'default' });
  expect(explained.ledger).toMatchObject([{ kind: 'refunded', amount: 10 }]);

  const rest = await giveBack({ payment: payment.toUpperCase() });
  expect(rest.body).toMatchObject({ ...reversal, amount: 15 });
  expect(await explain(payment)).toMatchObject({ kind: 'payment', original: null, givenBack: 25, total: 25 });
  expect((await control('GET', '/control/payments')).body).toMatchObject([
    { identifier: rest.body.identifier, kind: 'reversal', original: payment },
    { identifier: id, kind: 'reversal', original: payment },
    { identifier: payment, kind: 'payment' },
  ]);
  expect((await control('GET', '/control/books')).body).toMatchObject({ agree: true, payments: 3 });
});

test('money goes to a presented card, and a caller that does not wait is told where to follow it (B500)', async () => {
  const { control, explain, runtime } = await setup();
  await control('DELETE', `${at}/shopper`);
  const { status, body, headers } = await control('POST', `${at}/refund`, {
    amount: 7.5,
    customerLanguage: 'fr',
  });
  expect(status).toBe(202);
  expect(body).toMatchObject({ kind: 'refund', original: null, amount: 7.5, result: null });
  const shown = (await control('GET', `${at}/screen?until=presentCard`)).body;
  expect(shown).toMatchObject({ givesBack: 'refund', language: 'fr' });
  expect(shown.amount).toContain('7,50');
  await control('POST', `${at}/tap`, { card: 'visa-credit' });
  await control('GET', `${at}/screen?until=idle`);
  expect((await control('GET', headers.get('location') ?? '')).body).toMatchObject({
    ...{ identifier: body.identifier, state: 'concluded', result: 'success', total: 7.5, answer: null },
    ledger: [{ kind: 'refunded', card: expect.stringContaining('*') }],
  });
  expect(await explain(body.identifier)).toMatchObject({ warnings: [] });
  expect(JSON.stringify(runtime.journal.since())).not.toContain('4111111111111111');
});

test('a refusal by the host is a result, and nothing counts as given back then (B500)', async () => {
  const { giveBack, explain, paid, control } = await setup();
  const payment = await paid(25);
  const outcome = { type: 'decline', refusalReason: '210 Not enough balance' };
  await control('PUT', `${at}/outcome`, { outcome });
  const { status, body } = await giveBack({ payment });
  expect({ status, body }).toMatchObject({ status: 200, body: { result: 'failure', total: null } });
  expect(await explain(payment)).toMatchObject({ givenBack: 0 });
  expect((await giveBack({ payment })).body).toMatchObject({ result: 'success', total: 25 });
});

test('a repeated call with the same Idempotency-Key gives money back once (B502)', async () => {
  const { giveBack, paid, control, explain, token, gateway, terminalId } = await setup();
  const payment = await paid(25);
  const key = { 'idempotency-key': 'once' };
  const [first, again] = [
    await giveBack({ payment, amount: 5 }, key),
    await giveBack({ payment, amount: 5 }, key),
  ];
  expect(again.body).toEqual(first.body);
  expect(await explain(payment)).toMatchObject({ givenBack: 5 });
  expect(await giveBack({ payment, amount: 6 }, key)).toMatchObject({
    status: 422,
    body: { error: 'idempotencyKeyReused' },
  });

  const headers = { authorization: `Bearer ${token}` };
  const status = (query: string) => fetch(`${gateway.url}/payment-requests/status?${query}`, { headers });
  expect((await status('idempotencyKey=once')).status).toBe(404);
  expect((await status(`transactionId=${first.body.identifier}`)).status).toBe(404);
  expect((await control('GET', '/control/events')).body).toEqual([]);
  const ofTheSameKey = await fetch(`${gateway.url}/terminals/${terminalId}/payment-request`, {
    method: 'POST',
    headers: { ...headers, ...key, 'content-type': 'application/json' },
    body: JSON.stringify({ paymentTransaction: { amountsReq: { requestedAmount: 3 } } }),
  });
  expect(ofTheSameKey.status).toBe(200);
});

test('a request that cannot be carried out says why, and is not stored (B501)', async () => {
  const { giveBack, paid, control, pay } = await setup();
  const refused = async (body: object) => {
    const { status, body: answer } = await giveBack(body);
    return `${status} ${answer.error}: ${answer.message}`;
  };
  const payment = await paid(25);
  expect(await refused({ payment: randomUUID() })).toMatch('404 originalNotFound: ');
  expect(await refused({ payment, amount: 25.01 })).toBe(
    '422 amountExceedsRest: The amount is larger than the amount that can still be given back: 25.00 EUR',
  );
  expect(await refused({ payment, currency: 'USD' })).toBe(
    '422 currencyMismatch: The payment was made in EUR, not in USD',
  );
  for (const amount of [0, -1, 1.005, 1e9])
    for (const which of [{ payment }, {}])
      expect(await refused({ ...which, amount }), `${amount}`).toMatch('400 invalidAmount: amount ');
  expect(await refused({})).toMatch('400 invalidRequest: ');
  expect(await refused({ amount: 5, currency: 'eur' })).toMatch('400 invalidRequest: ');
  expect(await refused({ payment: 'V400m' })).toMatch('400 invalidRequest: ');
  expect(await refused({ amount: 5, currency: 'USD' })).toBe(
    '422 currencyMismatch: This account takes EUR, not USD',
  );

  const reversal = (await giveBack({ payment })).body.identifier;
  expect(await refused({ payment })).toMatch('409 alreadyGivenBack: ');
  expect(await refused({ payment: reversal })).toMatch(
    '409 originalNotReversible: This is a reversal or refund',
  );
  const refund = (await giveBack({ amount: 5 })).body.identifier;
  expect(await refused({ payment: refund })).toMatch(
    '409 originalNotReversible: This is a reversal or refund',
  );

  await control('PUT', `${at}/outcome`, { outcome: { type: 'decline' } });
  const failed = (await pay(5)).body.identifier;
  expect(await refused({ payment: failed })).toMatch('409 originalNotReversible: The payment failed');

  await control('PATCH', '/control/accounts/shop', { transactionLimit: 20 });
  expect(await refused({ amount: 20.01 })).toMatch('422 amountExceedsTransactionLimit: ');
  const { length } = (await control('GET', '/control/payments')).body;
  expect(length).toBe(4);
});

test('an open payment cannot be reversed, and a terminal without a payout account gives nothing back (B501)', async () => {
  const { giveBack, control, pay } = await setup();
  await control('DELETE', `${at}/shopper`);
  const paying = pay(5);
  await control('GET', `${at}/screen?until=presentCard`);
  const [{ identifier: payment }] = (await control('GET', '/control/payments')).body;
  expect((await giveBack({ payment })).body).toMatchObject({
    error: 'originalNotReversible',
    message: 'The payment is still open: wait for its result, or abort it',
  });
  expect((await giveBack({ amount: 5 })).body).toMatchObject({ result: 'failure', errorCondition: 'busy' });
  await control('POST', `${at}/tap`, { card: 'visa-credit' });
  await paying;
  await control('PATCH', at, { payoutAccount: null });
  for (const body of [{ payment }, { amount: 5 }])
    expect(await giveBack(body)).toMatchObject({ status: 409, body: { error: 'payoutAccountMissing' } });
});

test('a payment of another account or environment is not found (B501, B504)', async () => {
  const { giveBack, paid, control } = await setup();
  const payment = await paid(25);
  const terminalOf = async (poiId: string, store: object) => {
    const { id: storeId } = (await control('POST', '/control/stores', { name: 'Other', ...store })).body;
    await control('POST', '/control/terminals', { poiId, storeId });
    return `/control/terminals/${poiId}/refund`;
  };
  await control('POST', '/control/accounts', { id: 'other', name: 'Other', currency: 'EUR' });
  const other = await terminalOf('V400m-2', { accountId: 'other' });
  expect(await control('POST', other, { payment, wait: true })).toMatchObject({
    status: 404,
    body: { error: 'originalNotFound' },
  });
  const production = await terminalOf('V400m-3', { accountId: 'shop', environment: 'production' });
  expect(await control('POST', production, { payment })).toMatchObject({ status: 501 });
  expect(await control('POST', '/control/terminals/V400m-4/refund', { amount: 1 })).toMatchObject({
    status: 404,
    body: { error: 'terminalNotFound' },
  });
  expect((await giveBack({ payment })).body).toMatchObject({ result: 'success' });
});
