import { expect, test } from 'vitest';
import { testThoroughly } from '../../test/optional-programs.ts';
import { createSalesHarness, makeResultBody } from './sales.fixture.ts';

const testInCi = testThoroughly();

const hourMs = 3_600_000;

test('a sale shows its calls, its payment, the amount charged, and whether its result was told (B235)', () => {
  const pos = createSalesHarness();
  const first = pos.asks({ key: 'k1', reference: 'order-1' });
  pos.accepted(first, 'p1', { key: 'k1', reference: 'order-1' });
  pos.hungUp(first);
  pos.approved('p1', 1475);
  expect(pos.sale).toMatchObject({ told: 'untold', callsText: 'POST hung up' });
  for (const status of [202, 200]) {
    const asked = pos.received('/payment-requests/status?idempotencyKey=k1');
    pos.answered(
      asked,
      status,
      status === 200 ? makeResultBody('p1') : { identifier: 'p1', status: 'inProgress' },
    );
  }
  expect(pos.sale).toMatchObject({
    saleId: 'p1',
    kind: 'payment',
    accountId: 'shop',
    terminal: 'V400m-1',
    saleReferenceId: 'order-1',
    idempotencyKey: 'k1',
    own: null,
    amount: 12.5,
    tip: 2.25,
    total: 14.75,
    currency: 'EUR',
    callsText: 'POST hung up, status 202, status',
    callsKnown: true,
    outcome: 'success',
    outcomeText: 'approved',
    charged: 14.75,
    told: 'told',
    attempts: [{ payment: 'p1', outcome: 'success', charged: 14.75, told: 'told' }],
  });
});

test('a request that a fault drops is shown as lost, and calls of one kind and result are counted', () => {
  const pos = createSalesHarness();
  const first = pos.asks({ key: 'k1' });
  pos.accepted(first, 'p1', { key: 'k1' });
  pos.journal.add('fault.injected', { ...first, fault: 'dropAnswer' });
  for (let asked = 0; asked < 2; asked++)
    pos.answered(pos.received('/payment-requests/status?transactionId=p1'), 200, makeResultBody('p1'));
  expect(pos.sale.callsText).toBe('POST lost, status ×2');
});

test('a further payment under the same reference belongs to the same sale, even with another key', () => {
  const pos = createSalesHarness();
  for (const [key, payment] of [
    ['k1', 'p1'],
    ['k2', 'p2'],
  ] as const) {
    const asked = pos.asks({ key, reference: 'order-1' });
    pos.accepted(asked, payment, { key, reference: 'order-1' });
    if (payment === 'p1') pos.declined(payment);
    else pos.approved(payment);
    pos.answered(asked, 200, makeResultBody(payment));
  }
  expect(pos.sale).toMatchObject({ saleId: 'p1', outcome: 'success', charged: 12.5, callsText: 'POST ×2' });
  expect(pos.sale.attempts.map(({ outcome }) => outcome)).toEqual(['failure', 'success']);
  expect(pos.sales.ofPayment('p2')?.saleId).toBe('p1');
});

test('without a reference the key identifies the sale, and without a key the payment does', () => {
  const pos = createSalesHarness();
  for (const [key, payment] of [
    ['k1', 'p1'],
    ['k2', 'p2'],
    [undefined, 'p3'],
    [undefined, 'p4'],
  ] as const) {
    const asked = pos.asks({ key });
    pos.accepted(asked, payment, { key });
    pos.declined(payment);
    pos.answered(asked, 200, makeResultBody(payment, 'failure'));
  }
  const again = pos.asks({ key: 'k1' });
  pos.answered(again, 200, makeResultBody('p1', 'failure'));
  expect(pos.sales.list()).toHaveLength(4);
  expect(pos.sales.get('p1')).toMatchObject({ callsText: 'POST ×2', outcomeText: 'declined: refusal' });
});

test('accounts never share a sale', () => {
  const pos = createSalesHarness();
  pos.accepted(pos.asks({ key: 'k', reference: 'r' }), 'p1', { key: 'k', reference: 'r' });
  const theirs = {
    method: 'POST',
    path: '/terminals/t2/payment-request',
    requestId: 'x1',
    accountId: 'other',
  };
  pos.journal.add('http.received', {
    ...theirs,
    headers: { 'idempotency-key': 'k' },
    body: { saleData: { saleReferenceId: 'r' } },
  });
  pos.journal.add(
    'payment.accepted',
    {
      amount: 100,
      currency: 'EUR',
      requestId: 'x1',
      accountId: 'other',
      idempotencyKey: 'k',
      saleReferenceId: 'r',
    },
    { payment: 'p2' },
  );
  expect(pos.sales.list().map(({ accountId }) => accountId)).toEqual(
    expect.arrayContaining(['shop', 'other']),
  );
});

test('a reference used again after 12 hours begins a new sale, unless something of the old one is open (B236)', async () => {
  const pos = createSalesHarness();
  const asked = pos.asks({ reference: 'table-7' });
  pos.accepted(asked, 'p1', { reference: 'table-7' });
  await pos.clock.advance(13 * hourMs);
  pos.accepted(pos.asks({ reference: 'table-7' }), 'p2', { reference: 'table-7' });
  expect(pos.sale.attempts).toHaveLength(2);
  pos.declined('p1');
  pos.declined('p2');
  pos.hungUp(asked);
  for (const call of pos.sale.calls)
    if (call.end === 'open') pos.answered(call, 200, makeResultBody('p2', 'failure'));
  await pos.clock.advance(12 * hourMs);
  pos.accepted(pos.asks({ reference: 'table-7' }), 'p3', { reference: 'table-7' });
  expect(pos.sale.attempts).toHaveLength(3);
  pos.declined('p3');
  for (const call of pos.sale.calls) if (call.end === 'open') pos.hungUp(call);
  await pos.clock.advance(12 * hourMs + 1);
  pos.accepted(pos.asks({ reference: 'table-7' }), 'p4', { reference: 'table-7' });
  expect(pos.sales.ofPayment('p4')).toMatchObject({ saleId: 'p4', attempts: [{ payment: 'p4' }] });
});

test('a reference shared by more than 20 payments joins nothing, and is reported once (B237)', () => {
  const pos = createSalesHarness();
  const pay = (number: number) => {
    const names = { key: `k${number}`, reference: 'order' };
    const asked = pos.asks(names);
    pos.accepted(asked, `p${number}`, names);
    pos.approved(`p${number}`);
    pos.answered(asked, 200, makeResultBody(`p${number}`));
  };
  for (let number = 1; number <= 20; number++) pay(number);
  expect(pos.sale.attempts).toHaveLength(20);
  pay(21);
  expect(pos.sales.list()).toHaveLength(21);
  for (let number = 22; number <= 23; number++) pay(number);
  const all = pos.sales.list();
  expect(all).toHaveLength(23);
  expect(
    all.every(({ attempts, calls, told }) => attempts.length === 1 && calls.length === 1 && told === 'told'),
  ).toBe(true);
  expect(all.flatMap(({ findings }) => findings)).toEqual([
    expect.objectContaining({ rule: 'shared-reference', count: 23 }),
  ]);
});

test('a divided sale keeps the number of the calls that were left out', () => {
  const pos = createSalesHarness();
  const pay = (number: number) => {
    const names = { key: `k${number}`, reference: 'order' };
    const asked = pos.asks(names);
    pos.accepted(asked, `p${number}`, names);
    pos.answered(asked, 200, makeResultBody(`p${number}`));
  };
  pay(1);
  for (let asked = 0; asked < 300; asked++)
    pos.answered(pos.received('/payment-requests/status?idempotencyKey=k1'), 202, { identifier: 'p1' });
  for (let number = 2; number <= 21; number++) pay(number);
  const sales = pos.sales.list();
  expect(sales).toHaveLength(21);
  expect(sales.reduce((sum, { calls, callsLeftOut }) => sum + calls.length + callsLeftOut, 0)).toBe(321);
});

test('a sale that turns out to be a part of another sale adds the number of its calls that were left out', () => {
  const pos = createSalesHarness();
  const stored = ['p1', 'p2'].map((payment, index) => ({
    ...{
      payment,
      accountId: 'shop',
      key: `k${index + 1}`,
      reference: 'table-7',
      acceptedAt: pos.clock.now(),
    },
    ...{ amount: 1250, currency: 'EUR', outcome: 'open' as const, charged: 0 },
  }));
  for (const { payment, key } of stored) {
    pos.accepted(pos.asks({ key }), payment, { key });
    for (let asked = 0; asked < 220; asked++) pos.received(`/payment-requests/status?idempotencyKey=${key}`);
  }
  expect(pos.sales.complete('p1', stored)).toMatchObject({ callsLeftOut: 242 });
});

test('an answer that the network did not accept completely does not count as told until it has (B240)', () => {
  const pos = createSalesHarness();
  const asked = pos.asks();
  pos.accepted(asked, 'p1');
  pos.approved('p1');
  pos.answered(asked, 200, makeResultBody('p1'), false);
  expect(pos.sale.told).toBe('untold');
  pos.journal.add('http.sent', { ...asked, whole: true });
  expect(pos.sale).toMatchObject({ told: 'told', callsText: 'POST' });
});

test('an answer whose connection ends in the middle does not count as told', () => {
  const pos = createSalesHarness();
  const asked = pos.asks();
  pos.accepted(asked, 'p1');
  pos.approved('p1');
  pos.answered(asked, 200, makeResultBody('p1'), false);
  pos.journal.add('http.sent', { ...asked, whole: false });
  expect(pos.sale).toMatchObject({ told: 'untold', callsText: 'POST cut off' });
});

test('a sale whose beginning is missing from the journal has unknown calls', () => {
  const pos = createSalesHarness();
  pos.approved('p1');
  expect(pos.sale).toMatchObject({ callsKnown: false, told: 'unknown', callsText: 'calls unknown' });
  pos.answered(pos.received('/payment-requests/status?transactionId=p1'), 200, makeResultBody('p1'));
  expect(pos.sale).toMatchObject({ told: 'told', callsText: 'earlier calls unknown, status' });
});

test('a refused request is a sale without a payment, and a later payment under its key continues that sale', () => {
  const pos = createSalesHarness();
  pos.answered(pos.asks({ key: 'k1' }), 400, { error: 'invalidAmount' });
  expect(pos.sale).toMatchObject({
    saleId: 'request-r1',
    amount: 12.5,
    outcome: 'refused',
    outcomeText: 'refused: 400 invalidAmount',
    told: 'nothing',
  });
  pos.accepted(pos.asks({ key: 'k1' }), 'p1', { key: 'k1' });
  expect(pos.sale).toMatchObject({ saleId: 'request-r1', outcome: 'open', callsText: 'POST 400, POST open' });
});

test('a status that finds nothing and the request that follows it are one sale', () => {
  const pos = createSalesHarness();
  pos.answered(pos.received('/payment-requests/status?idempotencyKey=k1'), 404, { error: 'notFound' });
  pos.accepted(pos.asks({ key: 'k1', reference: 'order-1' }), 'p1', { key: 'k1', reference: 'order-1' });
  expect(pos.sale).toMatchObject({ callsText: 'status 404, POST open', saleReferenceId: 'order-1' });
});

test('a request is not shown until it is known whether it becomes a payment', () => {
  const pos = createSalesHarness();
  const asked = pos.asks({ key: 'k1' });
  expect(pos.sales.list()).toEqual([]);
  pos.accepted(asked, 'p1', { key: 'k1' });
  expect(pos.changes).toEqual(['p1']);
});

test('a call for the latest request of a terminal belongs to the sale of the payment in its answer', () => {
  const pos = createSalesHarness();
  pos.accepted(pos.asks({ key: 'k1' }), 'p1', { key: 'k1' });
  pos.accepted(pos.asks({ key: 'k2' }), 'p2', { key: 'k2' });
  pos.declined('p1');
  const asked = pos.received('/terminals/t1/payment-request');
  expect(pos.sales.get('p2')?.callsText).toBe('POST open, latest open');
  pos.answered(asked, 200, makeResultBody('p1', 'failure'));
  expect(pos.sales.get('p1')?.callsText).toBe('POST open, latest');
  expect(pos.sales.get('p2')?.callsText).toBe('POST open');
});

test('sales of pinpad itself are marked (B238)', () => {
  const pos = createSalesHarness();
  pos.accepted(pos.asks({ key: 'k1', agent: 'pinpad-screen' }), 'p1', { key: 'k1' });
  expect(pos.sale.own).toBe('screen');
});

test('a reversed amount does not count as charged', () => {
  const pos = createSalesHarness();
  pos.accepted(pos.asks(), 'p1');
  const booked = { amount: 1250, currency: 'EUR', pspReference: 'p', rule: 'default' };
  pos.journal.add('ledger.authorized', booked, { payment: 'p1' });
  expect(pos.sale.charged).toBe(12.5);
  pos.journal.add('ledger.reversed', { reason: 'it failed', amount: 1250 }, { payment: 'p1' });
  expect(pos.sale.charged).toBe(0);
});

testInCi('fewer sales are kept if their references are very long, namely the latest (B318)', () => {
  const pos = createSalesHarness();
  const ask = (name: string, length: number) =>
    pos.answered(pos.asks({ reference: name.padEnd(length, 'x') }), 400, {});
  for (let index = 0; index < 400; index++) ask(`${index}-`, 90_000);
  const names = pos.sales.list().map(({ saleReferenceId }) => saleReferenceId?.split('-')[0]);
  expect(names.length).toBeLessThan(200);
  expect(names).toEqual(Array.from(names, (_, index) => `${400 - names.length + index}`));
  for (let index = 400; index < 1_000; index++) ask(`${index}-`, 20);
  expect(pos.sales.list().length).toBe(names.length + 600);
});

test('a sale that was paid twice says so, and a sale that was paid after a decline does not (B316)', () => {
  const pos = createSalesHarness();
  const pay = (payment: string) =>
    pos.accepted(pos.asks({ reference: 'sale-1' }), payment, { reference: 'sale-1' });
  pay('p1');
  pos.declined('p1', 'refusal');
  pay('p2');
  pos.approved('p2');
  expect(pos.sale.outcomeText).toBe('approved');
  pay('p3');
  pos.approved('p3');
  expect(pos.sale).toMatchObject({ outcomeText: 'approved ×2', charged: 25 });
});

test('a charge, its refund and a payment link are separate kinds of sales, and a refund is joined to its charge', () => {
  const pos = createSalesHarness();
  const money = { currency: 'EUR', why: '' };
  const charge = pos.received('/contact/c/creditCards/1/charge', { method: 'POST', body: { amount: 20 } });
  const booked = { amount: 2000, currency: 'EUR', pspReference: 'p', rule: '' };
  pos.journal.add('ledger.authorized', booked, { payment: 'd1' });
  pos.journal.add('ledger.captured', booked, { payment: 'd1' });
  pos.journal.add('debit.changed', { state: 'paid', amount: 2000, ...money }, { payment: 'd1' });
  pos.answered(charge, 200, { debit_id: 'd1' });
  expect(pos.sale).toMatchObject({ kind: 'charge', outcomeText: 'paid', charged: 20, told: 'told' });
  const refund = pos.received('/debit/d1/refunds', { method: 'POST', body: { amount: 5 } });
  const about = { payment: 'd1' };
  pos.journal.add('ledger.refunded', { amount: 500, currency: 'EUR', refund: 'f1' }, about);
  pos.journal.add('refund.changed', { refund: 'f1', status: 'processing', amount: 500, ...money }, about);
  pos.hungUp(refund);
  pos.journal.add('refund.changed', { refund: 'f1', status: 'submitted', amount: 500, ...money }, about);
  expect(pos.sales.get('d1')).toMatchObject({ charged: 15 });
  expect(pos.sales.get('f1')).toMatchObject({
    kind: 'refund',
    amount: 5,
    charged: null,
    refundOf: 'd1',
    callsText: 'refund hung up',
    outcomeText: 'submitted',
    told: 'untold',
  });
  pos.journal.add('event.published', { event: 'e1', type: 'payments.refunds.submitted', resource: 'f1' });
  const attempt = {
    webhook: 'w',
    delivery: 'l',
    event: 'e1',
    type: 'payments.refunds.submitted',
    attempt: 1,
  };
  pos.journal.add('webhook.attempted', { ...attempt, status: 500 });
  const unheard = { status: 200, error: 'the receiver did not answer [accepted]' };
  pos.journal.add('webhook.attempted', { ...attempt, ...unheard });
  expect(pos.sales.get('f1')?.told).toBe('untold');
  pos.journal.add('webhook.attempted', { ...attempt, status: 204 });
  expect(pos.sales.get('f1')?.told).toBe('told');
  const link = pos.received('/credit', { method: 'PUT', body: { amount: 7 } });
  pos.journal.add('credit.changed', { state: 'initiated', amount: 700, ...money }, { payment: 'c1' });
  pos.answered(link, 200);
  expect(pos.sales.get('c1')).toMatchObject({
    kind: 'link',
    outcomeText: 'open: initiated',
    callsText: 'link',
  });
});

test('only a limited number of sales is kept, the latest used, and a limited number of calls of each', () => {
  const pos = createSalesHarness({ most: 2 });
  for (const number of [1, 2, 3])
    pos.accepted(pos.asks({ key: `k${number}` }), `p${number}`, { key: `k${number}` });
  expect(pos.sales.list().map(({ saleId }) => saleId)).toEqual(expect.arrayContaining(['p2', 'p3']));
  expect(pos.sales.ofPayment('p1')).toBeUndefined();
  for (let asked = 0; asked < 300; asked++)
    pos.answered(pos.received('/payment-requests/status?idempotencyKey=k3'), 202, { identifier: 'p3' });
  expect(pos.sales.get('p3')).toMatchObject({ callsLeftOut: 101 });
  expect(pos.sales.get('p3')?.calls).toHaveLength(200);
});

test('it is unknown whether a result was told if a dead gateway had not sent all of its entries', () => {
  const pos = createSalesHarness();
  const asked = pos.asks();
  pos.accepted(asked, 'p1');
  pos.approved('p1');
  pos.journal.add('journal.lost', { why: 'it is gone' });
  expect(pos.sale).toMatchObject({ told: 'unknown', callsText: 'earlier calls unknown, POST lost' });
});

test('if other gateways cannot be heard, it is unknown what was told (B240)', () => {
  const pos = createSalesHarness({ heardAll: false });
  pos.accepted(pos.asks(), 'p1');
  pos.approved('p1');
  expect(pos.sale.told).toBe('unknown');
});

test('a sale counts as untold if a customer of a POS was charged and it ended long enough ago (B238, B241)', async () => {
  const pos = createSalesHarness();
  const pay = (payment: string, agent?: string) => {
    const asked = pos.asks({ key: payment, agent });
    pos.accepted(asked, payment, { key: payment });
    pos.hungUp(asked);
    return asked;
  };
  pay('charged');
  pay('own', 'pinpad-console');
  pay('declined');
  pay('reversed');
  for (const payment of ['charged', 'own', 'reversed']) pos.approved(payment);
  pos.declined('declined');
  pos.journal.add('ledger.reversed', { reason: 'r', amount: 1250 }, { payment: 'reversed' });
  const untold = () => pos.sales.untold(pos.clock.now()).map(({ attempt }) => attempt.payment);
  expect(untold()).toEqual([]);
  await pos.clock.advance(1);
  expect(untold()).toEqual(['charged']);
  pos.answered(pos.received('/payment-requests/status?idempotencyKey=charged'), 202, {
    identifier: 'charged',
  });
  expect(untold()).toEqual(['charged']);
  const lost = pos.received('/payment-requests/status?idempotencyKey=charged');
  pos.journal.add('fault.injected', { ...lost, fault: 'dropAnswer' });
  expect(untold()).toEqual(['charged']);
  const asked = pos.received('/payment-requests/status?idempotencyKey=charged');
  pos.journal.add('http.answered', {
    ...asked,
    status: 200,
    durationMs: 1,
    whole: true,
    outcomeOf: 'charged',
  });
  expect(untold()).toEqual([]);
});

test("the store's data about a sale have priority over the journal, and can join two sales into one", () => {
  const pos = createSalesHarness();
  pos.approved('p1');
  const asked = pos.asks({ key: 'k2', reference: 'order-1' });
  pos.accepted(asked, 'p2', { key: 'k2', reference: 'order-1' });
  const stored = (payment: string, acceptedAt: number, charged: number) => ({
    payment,
    accountId: 'shop',
    reference: 'order-1',
    key: undefined,
    terminal: 'V400m-1',
    amount: 1250,
    currency: 'EUR',
    acceptedAt,
    concludedAt: acceptedAt,
    outcome: 'success' as const,
    reason: undefined,
    why: undefined,
    charged,
  });
  const at = pos.clock.now();
  const sale = pos.sales.complete('p2', [
    stored('p0', at - 2, 1000),
    stored('p1', at - 1, 1250),
    stored('p2', at, 0),
  ]);
  expect(sale?.attempts.map(({ payment, amount }) => [payment, amount])).toEqual([
    ['p0', 12.5],
    ['p1', 12.5],
    ['p2', 12.5],
  ]);
  expect(pos.sales.list()).toEqual([sale]);
  pos.answered(asked, 200, makeResultBody('p2'));
  expect(pos.sale).toMatchObject({ saleId: 'p2', callsText: 'earlier calls unknown, POST', charged: 22.5 });
});
