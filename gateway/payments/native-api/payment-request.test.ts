import { afterEach, expect, test } from 'vitest';
import { hour, minute, PaymentsHarness, testIds } from '../payments-harness.fixture.ts';

let harness: PaymentsHarness;
afterEach(() => harness.stop());

test('a payment request is held until the terminal answers, and answered with the result (B11, B14, B31, B32)', async () => {
  harness = await PaymentsHarness.start();
  const terminal = await harness.terminal().connect();
  let answered = false;
  const reply = harness.pay(25, { more: { saleData: { saleReferenceId: 'order-1' } } }).then((got) => {
    answered = true;
    return got;
  });
  const request = await terminal.next('PaymentRequest');
  await harness.clock.advance(100_000);
  expect(answered).toBe(false);
  expect(await terminal.authorize(request)).toMatchObject({
    Approved: true,
    AcquirerResponseCode: 'APPROVED',
  });
  terminal.approve(request);
  expect(await reply).toMatchObject({
    status: 200,
    body: {
      identifier: request.body.SaleData.SaleTransactionID.TransactionID,
      response: { result: 'success', additionalResponse: { cardScheme: 'visa', cardSummary: '0119' } },
      saleData: { saleReferenceId: 'order-1' },
      paymentReceipt: [{ documentQualifier: 'cashierReceipt' }],
    },
  });
});

test('the terminal gets everything the request asks for (B15, B17, B19, B20, B21)', async () => {
  harness = await PaymentsHarness.start();
  const terminal = await harness.terminal().connect();
  const conditions = {
    allowedPaymentBrand: ['visa', 'mc'],
    debitPreferredFlag: true,
    customerLanguage: 'de',
    forceEntryMode: ['icc', 'magStripe'],
    merchantCategoryCode: '5812',
  };
  const gratuity = { enabled: true, options: [{ type: 'fixed', value: 1.5 }, { type: 'custom' }] };
  const reply = harness.pay(25.5, { more: { transactionConditions: conditions, gratuity } });
  const { body } = await terminal.next('PaymentRequest');
  expect(body.PaymentTransaction).toEqual({
    AmountsReq: { Currency: 'EUR', RequestedAmount: 25.5 },
    TransactionConditions: {
      AllowedPaymentBrand: ['visa', 'mc'],
      DebitPreferredFlag: true,
      CustomerLanguage: 'de',
      ForceEntryMode: ['ICC', 'MagStripe'],
      MerchantCategoryCode: '5812',
    },
  });
  expect(JSON.parse(body.SaleData.SaleToPOIData ?? '')).toEqual({
    gratuity: { fixed: [150], custom: true, maximumTotal: 1_000_000 },
    receiptHeader: ['Shop', '1 Street'],
    merchantId: 'M1',
  });
  await harness.clock.advance(150_000);
  await reply;
});

test('a declined payment is answered 200 with the failure in the result (B30, B33)', async () => {
  harness = await PaymentsHarness.start();
  const terminal = await harness.terminal().connect();
  const reply = harness.pay(25);
  terminal.refuse(await terminal.next('PaymentRequest'), 'Refusal');
  const { status, body } = await reply;
  expect(status).toBe(200);
  expect(body.response).toEqual({
    result: 'failure',
    errorCondition: 'refusal',
    additionalResponse: { refusalReason: '104 reason' },
  });
  expect(body).not.toHaveProperty('paymentResult');
  expect(body).not.toHaveProperty('paymentReceipt');
});

test('a tip is in the result in major units, and the acquirer has the total (B31)', async () => {
  harness = await PaymentsHarness.start();
  const terminal = await harness.terminal().connect();
  const reply = harness.pay(25, { more: { gratuity: { enabled: true } } });
  const request = await terminal.next('PaymentRequest');
  await terminal.authorize(request, { TotalAmount: 2875 });
  terminal.approve(request, 3.75);
  const { body } = await reply;
  expect(body.paymentResult).toMatchObject({ amountsResp: { tipAmount: 3.75 } });
  const { ledger } = await harness.services.explanations.explain(body.identifier);
  expect(ledger).toMatchObject([{ kind: 'authorized', amount: 28.75 }]);
});

test('a payment of more than 150 s is answered 303 with a Location, which then answers 200 (B41, B42, B43)', async () => {
  harness = await PaymentsHarness.start();
  const terminal = await harness.terminal().connect();
  const reply = harness.pay(25);
  const request = await terminal.next('PaymentRequest');
  await harness.clock.advance(150_000);
  const { status, body, headers } = await reply;
  const id = request.body.SaleData.SaleTransactionID.TransactionID;
  expect({ status, body, location: headers.get('location') }).toEqual({
    status: 303,
    body: { identifier: id, status: 'inProgress' },
    location: `/payment-requests/status?transactionId=${id}`,
  });
  const asked = harness.call('GET', headers.get('location') ?? '');
  await harness.seen('http.received', 2);
  await terminal.authorize(request);
  terminal.approve(request);
  expect(await asked).toMatchObject({
    status: 200,
    body: { identifier: id, response: { result: 'success' } },
  });
});

test('a status call is held for 30 seconds, then answered 202 with Retry-After (B47, B49)', async () => {
  harness = await PaymentsHarness.start();
  const terminal = await harness.terminal().connect();
  const paying = harness.pay(25, { key: 'k' });
  await terminal.next('PaymentRequest');
  const asked = harness.call('GET', '/payment-requests/status?idempotencyKey=k');
  await harness.seen('http.received', 2);
  await harness.clock.advance(29_999);
  expect(harness.journal('http.answered')).toEqual([]);
  await harness.clock.advance(1);
  const { status, body, headers } = await asked;
  expect(status).toBe(202);
  expect(body.status).toBe('inProgress');
  expect(headers.get('retry-after')).toBe('1');
  await harness.clock.advance(120_000);
  await paying;
});

test.each([
  ['neither', ''],
  ['both', '?transactionId=a&idempotencyKey=b'],
])('status with %s identifiers is 400 (B48)', async (_, query) => {
  harness = await PaymentsHarness.start();
  expect(await harness.call('GET', `/payment-requests/status${query}`)).toMatchObject({
    status: 400,
    body: {
      error: 'invalidRequest',
      details: [{ message: 'give exactly one of transactionId and idempotencyKey' }],
    },
  });
});

test("another account's payment, or one that does not exist, is not found (B7, B47)", async () => {
  harness = await PaymentsHarness.start();
  await harness.services.accounts.createAccount({ id: 'other', name: 'Other', currency: 'EUR' });
  const { token = '' } = await harness.services.tokens.createToken({ accountId: 'other' });
  const terminal = await harness.terminal().connect();
  const reply = harness.pay(25, { key: 'k' });
  await terminal.pay();
  const { body } = await reply;
  const notFound = { status: 404, body: { error: 'notFound' } };
  const asOther = (path: string) => harness.call('GET', path, { token });
  expect(await asOther(`/payment-requests/status?transactionId=${body.identifier}`)).toMatchObject(notFound);
  expect(await asOther('/payment-requests/status?idempotencyKey=k')).toMatchObject(notFound);
  expect(await harness.status('nonsense')).toMatchObject(notFound);
  const unknownTerminal = { status: 404, body: { error: 'terminalNotFound' } };
  expect(await asOther(`/terminals/${testIds.terminal}/payment-request`)).toMatchObject(unknownTerminal);
  expect((await asOther('/terminals')).body).toEqual([]);
  const paid = await harness.call('POST', `/terminals/${testIds.terminal}/payment-request`, {
    token,
    body: { paymentTransaction: { amountsReq: { requestedAmount: 1 } } },
  });
  expect(paid).toMatchObject(unknownTerminal);
});

test('respond-async is answered 202 at once, and the payment continues (B43, B45, B46)', async () => {
  harness = await PaymentsHarness.start();
  const terminal = await harness.terminal().connect();
  const { status, body, headers } = await harness.pay(25, { headers: { prefer: 'respond-async' } });
  expect(status).toBe(202);
  expect(body).toEqual({ identifier: body.identifier, status: 'inProgress' });
  expect(headers.get('preference-applied')).toBe('respond-async');
  expect(headers.get('location')).toBe(`/payment-requests/status?transactionId=${body.identifier}`);
  await terminal.pay();
  await harness.seen('payment.concluded');
  expect(await harness.status(body.identifier)).toMatchObject({
    status: 200,
    body: { response: { result: 'success' } },
  });
});

test('the most recent request of a terminal is found for 48 hours (B50, B51)', async () => {
  harness = await PaymentsHarness.start();
  const terminal = await harness.terminal().connect();
  const latest = () => harness.call('GET', `/terminals/${testIds.terminal}/payment-request`);
  expect(await latest()).toMatchObject({ status: 404, body: { error: 'notFound' } });
  const reply = harness.pay(25);
  await terminal.pay();
  const { body } = await reply;
  expect((await latest()).body).toEqual(body);
  await harness.clock.advance(48 * hour - 1);
  expect((await latest()).status).toBe(200);
  await harness.clock.advance(1);
  expect(await latest()).toMatchObject({ status: 404, body: { error: 'notFound' } });
  expect((await harness.status(body.identifier)).status).toBe(200);
});

test('a busy terminal refuses at once, and the refusal is the most recent request (B37)', async () => {
  harness = await PaymentsHarness.start();
  const terminal = await harness.terminal().connect();
  const first = harness.pay(25);
  const request = await terminal.next('PaymentRequest');
  const second = await harness.pay(30, { key: 'second' });
  expect(second).toMatchObject({
    status: 200,
    body: { response: { result: 'failure', errorCondition: 'busy' } },
  });
  const latest = await harness.call('GET', `/terminals/${testIds.terminal}/payment-request`);
  expect(latest.body.identifier).toBe(second.body.identifier);
  expect((await harness.call('POST', `/terminals/${testIds.terminal}/payment-request/abort`)).status).toBe(
    204,
  );
  expect(terminal.received).toEqual([]);
  await terminal.authorize(request);
  terminal.approve(request);
  expect((await first).body.response).toMatchObject({ result: 'success' });
  expect((await harness.pay(30, { key: 'second' })).body).toEqual(second.body);
});

test('a client that hangs up does not end its payment', async () => {
  harness = await PaymentsHarness.start();
  const terminal = await harness.terminal().connect();
  const client = new AbortController();
  const body = { paymentTransaction: { amountsReq: { requestedAmount: 25 } } };
  const path = `/terminals/${testIds.terminal}/payment-request`;
  const gone = harness
    .call('POST', path, { body, signal: client.signal })
    .catch((error: Error) => error.name);
  const request = await terminal.next('PaymentRequest');
  client.abort();
  expect(await gone).toBe('AbortError');
  await harness.seen('http.hungUp');
  await terminal.authorize(request);
  terminal.approve(request);
  await harness.seen('payment.concluded');
  expect((await harness.call('GET', path)).body.response).toMatchObject({ result: 'success' });
});

test('a terminal without a payout account gives 409, before the limits are checked (B4, B116)', async () => {
  harness = await PaymentsHarness.start();
  await harness.services.terminals.updateTerminal(testIds.terminal, { payoutAccount: null });
  expect(await harness.pay(20_000)).toMatchObject({ status: 409, body: { error: 'payoutAccountMissing' } });
});

test.each([
  ['an amount above the limit', 10_000.01, undefined, 'amountExceedsTransactionLimit'],
  ['a default tip that could pass the limit', 9_000, { enabled: true }, 'gratuityExceedsTransactionLimit'],
  [
    'a fixed tip that could pass the limit',
    9_000,
    { enabled: true, options: [{ type: 'fixed', value: 1_000.01 }] },
    'gratuityExceedsTransactionLimit',
  ],
])('%s gives 422 (B26, B28)', async (_, amount, gratuity, error) => {
  harness = await PaymentsHarness.start();
  expect(await harness.pay(amount, { more: gratuity ? { gratuity } : {} })).toMatchObject({
    status: 422,
    body: { error },
  });
  expect(harness.journal('payment.accepted')).toEqual([]);
});

const option = (type: string, value?: number) => ({ type, value });
test.each([
  [
    'percentages',
    'EUR',
    90_000_000,
    [option('percentage', 11), option('percentage', 12)],
    'gratuity.options.1.value',
  ],
  [
    'a custom one before it',
    'EUR',
    90_000_000,
    [option('custom'), option('percentage', 12)],
    'gratuity.options.1.value',
  ],
  [
    'a fixed value',
    'EUR',
    99_999_999,
    [option('fixed', 0.99), option('fixed', 1)],
    'gratuity.options.1.value',
  ],
  ['no decimals', 'JPY', 99_999_999, [option('fixed', 1)], 'gratuity.options.0.value'],
  ['three decimals', 'KWD', 99_999_999.9, [option('fixed', 0.091)], 'gratuity.options.0.value'],
  ['the default tips', 'EUR', 85_000_000, undefined, 'gratuity'],
])(
  'a tip option that could exceed the largest total gives 400, whatever the limit is: %s',
  async (_, currency, amount, options, path) => {
    harness = await PaymentsHarness.start({ account: { currency, transactionLimit: 10 ** 12 } });
    expect(await harness.pay(amount, { more: { gratuity: { enabled: true, options } } })).toMatchObject({
      status: 400,
      body: {
        error: 'invalidAmount',
        details: [{ path, message: 'must not make a total above 99999999.99' }],
      },
    });
    expect(harness.journal('payment.accepted')).toEqual([]);
  },
);

test('the largest total is accepted, and sent to the terminal as its maximum (B13)', async () => {
  harness = await PaymentsHarness.start({ account: { transactionLimit: 10 ** 12 } });
  const terminal = await harness.terminal().connect();
  const options = [option('fixed', 0.99), option('custom')];
  const reply = harness.pay(99_999_999, { more: { gratuity: { enabled: true, options } } });
  const request = await terminal.next('PaymentRequest');
  const { gratuity } = JSON.parse(request.body.SaleData.SaleToPOIData ?? '');
  expect(gratuity).toEqual({ fixed: [99], custom: true, maximumTotal: 9_999_999_999 });
  await terminal.authorize(request, { TotalAmount: 9_999_999_999 });
  terminal.approve(request, 0.99);
  expect((await reply).body).toMatchObject({
    response: { result: 'success' },
    paymentResult: { amountsResp: { tipAmount: 0.99 } },
  });
});

test('a tip that just fits, a custom tip and a disabled prompt are accepted', async () => {
  harness = await PaymentsHarness.start();
  const headers = { prefer: 'respond-async' };
  for (const gratuity of [
    { enabled: true, options: [{ type: 'fixed', value: 1_000 }] },
    { enabled: true, options: [{ type: 'custom' }] },
    { enabled: false, options: [{ type: 'percentage', value: 50 }] },
  ])
    expect((await harness.pay(9_000, { more: { gratuity }, headers })).status).toBe(202);
});

test.each([
  [0, 'must be above 0'],
  [-5, 'must be above 0'],
  [1.005, 'must not have more decimals than EUR has'],
  [100_000_000, 'must be at most 99999999.99'],
])('the amount %d is refused: %s (B12, B13)', async (amount, message) => {
  harness = await PaymentsHarness.start();
  expect(await harness.pay(amount)).toMatchObject({
    status: 400,
    body: {
      error: 'invalidAmount',
      details: [{ path: 'paymentTransaction.amountsReq.requestedAmount', message }],
    },
  });
});

test('a payment request without a body is refused with details (B115)', async () => {
  harness = await PaymentsHarness.start();
  expect(await harness.call('POST', `/terminals/${testIds.terminal}/payment-request`)).toMatchObject({
    status: 400,
    body: { error: 'invalidRequest', details: [{ path: '', message: expect.any(String) }] },
  });
});

test('every wrong field is reported with one message', async () => {
  harness = await PaymentsHarness.start();
  const reply = await harness.call('POST', `/terminals/${testIds.terminal}/payment-request`, {
    body: {
      paymentTransaction: { amountsReq: { requestedAmount: '25' } },
      transactionConditions: {
        allowedPaymentBrand: ['visa'],
        customerLanguage: 'DE',
        forceEntryMode: ['nfc'],
      },
      gratuity: { options: [{ type: 'percentage' }, { type: 'percentage', value: 101 }] },
    },
    headers: { 'idempotency-key': 'ä' },
  });
  expect(reply).toMatchObject({ status: 400, body: { error: 'invalidRequest' } });
  expect((reply.body.details as { path: string }[]).map(({ path }) => path)).toEqual([
    'idempotency-key',
    'paymentTransaction.amountsReq.requestedAmount',
    'transactionConditions.allowedPaymentBrand',
    'transactionConditions.customerLanguage',
    'transactionConditions.forceEntryMode.0',
    'gratuity.enabled',
    'gratuity.options.0.value',
    'gratuity.options.1.value',
  ]);
});

test('unknown fields are accepted, and named in the journal and the explanation (B29)', async () => {
  harness = await PaymentsHarness.start();
  const more = { colour: 'red', saleData: { saleReferenceId: 'x', pos: 4 } };
  const { status, body } = await harness.pay(25, { more, headers: { prefer: 'respond-async' } });
  expect(status).toBe(202);
  expect(harness.journal('request.unknownField').map(({ data }) => data.paths)).toEqual([
    ['colour', 'saleData.pos'],
  ]);
  expect((await harness.services.explanations.explain(body.identifier)).warnings).toEqual([
    'the unknown field colour was ignored',
    'the unknown field saleData.pos was ignored',
  ]);
});

test('a token of production gets 501 at every terminal endpoint (B5, B6)', async () => {
  harness = await PaymentsHarness.start();
  const { token = '' } = await harness.services.tokens.createToken({
    accountId: testIds.account,
    environment: 'production',
  });
  for (const [method, path] of [
    ['GET', '/terminals'],
    ['POST', `/terminals/${testIds.terminal}/payment-request`],
    ['GET', `/terminals/${testIds.terminal}/payment-request`],
    ['POST', `/terminals/${testIds.terminal}/payment-request/abort`],
    ['GET', '/payment-requests/status'],
    ['POST', '/payment-requests/abort'],
  ] as const)
    expect(await harness.call(method, path, { token })).toMatchObject({
      status: 501,
      body: { error: 'notImplemented' },
    });
});

test('the terminals are listed as the service lists them (B3)', async () => {
  harness = await PaymentsHarness.start();
  const store = { identifier: testIds.store, name: 'Shop', address: '1 Street' };
  const effective_payout_account = testIds.payoutAccount;
  expect((await harness.call('GET', '/terminals')).body).toEqual([
    { poi_id: 'V400m-1', identifier: testIds.terminal, effective_payout_account, store },
    { poi_id: 'V400m-2', identifier: testIds.other, effective_payout_account, store },
  ]);
});

test('when the gateway stops, held payments are answered 303 and long polls 202 at once (B69)', async () => {
  harness = await PaymentsHarness.start();
  const terminal = await harness.terminal().connect();
  const paying = harness.pay(25, { key: 'k' });
  await terminal.next('PaymentRequest');
  const polling = harness.call('GET', '/payment-requests/status?idempotencyKey=k');
  await harness.seen('http.received', 2);
  const stopping = harness.stop();
  expect((await paying).status).toBe(303);
  expect((await polling).status).toBe(202);
  await stopping;
  harness = await PaymentsHarness.start();
});

test('two terminals take payments at the same time', async () => {
  harness = await PaymentsHarness.start();
  const [one, two] = await Promise.all([harness.terminal().connect(), harness.terminal('V400m-2').connect()]);
  const replies = Promise.all([harness.pay(25), harness.pay(30, { terminalId: testIds.other })]);
  await Promise.all([one.pay(), two.pay()]);
  for (const { body } of await replies) expect(body.response).toMatchObject({ result: 'success' });
  expect(harness.clock.now() - Date.parse('2026-01-01T09:00:00Z')).toBeLessThan(minute);
});
