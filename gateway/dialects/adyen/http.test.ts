import { request as httpRequest } from 'node:http';
import { afterEach, expect, test } from 'vitest';
import { createRuntime } from '../../../shared/create-runtime.ts';
import { VirtualClock } from '../../../shared/virtual-clock.ts';
import { until } from '../../../test/until.ts';
import { PaymentsHarness } from '../../payments/payments-harness.fixture.ts';
import { makePaymentTillMessage, makeTillMessage, Till } from './till.fixture.ts';

let harness: PaymentsHarness;
afterEach(() => harness.stop());

async function start(options: Parameters<typeof PaymentsHarness.start>[0] = {}) {
  harness = await PaymentsHarness.start({ adyen: true, ...options });
  return new Till(harness);
}

test('an unknown API key gets 401, and its request is kept nowhere (B454)', async () => {
  await start();
  const live = new Till(harness, 'AQE1-a-live-key-of-a-shop');
  const { status, body } = await live.pay('1', 25);
  expect({ status, body }).toMatchObject({
    status: 401,
    body: { status: 401, errorCode: '00_401', title: 'Unauthorized', requestId: expect.any(String) },
  });
  const kept = JSON.stringify(harness.runtime.journal.since());
  expect(kept).not.toContain('AQE1');
  expect(kept).not.toContain('SaleToPOIRequest');
  expect(harness.journal('http.received')).toMatchObject([{ data: { method: 'POST', path: '/sync' } }]);
});

test('the caller with a valid key counts as authenticated: the journal has its messages, without the key (B454)', async () => {
  const till = await start();
  await till.status('1');
  const [received] = harness.journal('http.received');
  expect(received?.data).toMatchObject({ accountId: 'shop', body: { SaleToPOIRequest: {} } });
  expect(JSON.stringify(harness.runtime.journal.since())).not.toContain(till.key);
});

test('a terminal or merchant of another account is forbidden', async () => {
  await start();
  const { accounts, tokens } = harness.services;
  await accounts.createAccount({ id: 'other', name: 'Other', currency: 'EUR' });
  const { token = '' } = await tokens.createToken({ accountId: 'other' });
  const other = new Till(harness, token);
  const forbidden = { status: 403, body: { status: 403, errorCode: '00_403' } };
  expect(await other.pay('1', 25)).toMatchObject(forbidden);
  expect(await other.send(makePaymentTillMessage('1', 25, { header: { POIID: 'X-1' } }))).toMatchObject(
    forbidden,
  );
  expect(await other.send({ merchantAccount: 'shop' }, '/connectedTerminals')).toMatchObject(forbidden);
  const device = '/v1/merchants/shop/devices/V400m-1/sync';
  expect(await other.send(makePaymentTillMessage('1', 25), device)).toMatchObject(forbidden);
  expect(harness.journal('http.answered').map(({ data }) => data.means)).toEqual(
    Array(4).fill({ status: 404, as: 'Forbidden' }),
  );
});

test.each([
  ['no JSON', '{"a"'],
  ['a list', []],
  ['another object', { a: 1 }],
  ['no header', { SaleToPOIRequest: {} }],
  ['no ServiceID', makeTillMessage('Payment', '1', {}, { ServiceID: undefined })],
  ['an unknown category', makeTillMessage('Haggle', '1', {})],
  ['a response', makeTillMessage('Payment', '1', {}, { MessageType: 'Response' })],
])('%s is answered with a Reject event that repeats the message', async (_, body) => {
  const till = await start();
  const answer = await till.send(body);
  const { EventNotification } = answer.body.SaleToPOIRequest;
  expect(answer.status).toBe(200);
  expect(EventNotification).toMatchObject({
    EventToNotify: 'Reject',
    EventDetails: 'message=Input+is+not+a+JSONObject',
  });
  const came = typeof body === 'string' ? body : JSON.stringify(body);
  expect(Buffer.from(EventNotification.RejectedMessage, 'base64').toString()).toBe(came);
});

test('a card number is never sent back', async () => {
  const till = await start();
  const answer = await till.send(
    makeTillMessage('Payment', '4111111111111111', { card: '4111111111111111' }),
  );
  const { MessageHeader, EventNotification } = answer.body.SaleToPOIRequest;
  const back = JSON.stringify(MessageHeader) + Buffer.from(EventNotification.RejectedMessage, 'base64');
  expect(back).not.toContain('4111111111111111');
});

test('a control character in a field makes the field invalid', async () => {
  const till = await start();
  const { body } = await till.pay('1', 25, { sale: { SaleReferenceID: 'a\u0000b' } });
  expect(body.SaleToPOIResponse.PaymentResponse.Response).toMatchObject({
    Result: 'Failure',
    ErrorCondition: 'MessageFormat',
    AdditionalResponse: expect.stringContaining('errors='),
  });
});

test('other HTTP errors have the form of this API', async () => {
  const till = await start();
  const problem = (status: number) => ({ status, body: { status, errorCode: `00_${status}` } });
  expect(await till.send({}, '/v1/merchants/shop/nothing')).toMatchObject(problem(404));
  expect(await till.send({}, '/v1/merchants/shop/connectedDevices')).toMatchObject(problem(405));
  expect(await till.send('x'.repeat(100_001))).toMatchObject(problem(413));
  expect(await till.send('a=b', '/sync', { 'content-type': 'text/plain' })).toMatchObject(problem(415));
  const { tokens } = harness.services;
  const { token = '' } = await tokens.createToken({ accountId: 'shop', environment: 'production' });
  expect(await new Till(harness, token).pay('1', 25)).toMatchObject(problem(501));
});

test('if the API is switched off, its paths answer 404 and say how to switch it on', async () => {
  const till = await start({ adyen: false });
  expect(await till.pay('1', 25)).toMatchObject({
    status: 404,
    body: { error: 'routeNotFound', message: expect.stringContaining('--as adyen') },
  });
});

test('connected terminals are listed, and each can be asked about by itself', async () => {
  const till = await start();
  const terminal = await harness.terminal().connect();
  const ask = async (path: string) => {
    const answer = await fetch(harness.url + path, { headers: { 'x-api-key': till.key } });
    return { status: answer.status, body: await answer.json() };
  };
  expect((await till.send({ merchantAccount: 'M1' }, '/connectedTerminals')).body).toEqual({
    uniqueTerminalIds: ['V400m-1'],
  });
  expect((await till.send({ merchantAccount: 'shop', store: 'No' }, '/connectedTerminals')).body).toEqual({
    uniqueTerminalIds: [],
  });
  expect((await ask('/v1/merchants/shop/connectedDevices?store=Shop')).body).toEqual({
    uniqueDeviceIds: ['V400m-1'],
  });
  const status = '/v1/merchants/shop/devices/V400m-1/status';
  expect((await ask(status)).body).toEqual({ deviceId: 'V400m-1', status: 'ONLINE' });
  terminal.link?.close(1000, 'test');
  await harness.seen('link.closed');
  expect((await ask(status)).body).toEqual({ deviceId: 'V400m-1', status: 'OFFLINE' });
  expect((await ask('/v1/merchants/shop/devices/X/status')).status).toBe(403);
});

test('a device in the path that differs from the one in the header is rejected', async () => {
  const till = await start();
  const { body } = await till.send(
    makePaymentTillMessage('1', 25),
    '/v1/merchants/shop/devices/V400m-2/sync',
  );
  expect(body.SaleToPOIRequest.EventNotification.EventToNotify).toBe('Reject');
});

/** Requests a payment, and notes how much of the answer the client has received so far. */
function slowPayment() {
  const seen = { head: 0, text: '', ended: false, error: false };
  const asked = httpRequest(`${harness.url}/sync`, {
    method: 'POST',
    headers: { 'x-api-key': harness.token, 'content-type': 'application/json' },
  });
  asked.on('error', () => {
    seen.error = true;
  });
  asked.on('response', (response) => {
    seen.head = response.statusCode ?? 0;
    response.setEncoding('utf8');
    response.on('data', (piece: string) => {
      seen.text += piece;
    });
    response.on('end', () => {
      seen.ended = true;
    });
    response.on('error', () => {
      seen.error = true;
    });
  });
  asked.end(JSON.stringify(makePaymentTillMessage('1', 25)));
  return { seen, hangUp: () => asked.destroy() };
}

async function startSlowly(fault?: Parameters<typeof harness.services.faults.add>[0]) {
  const realClock = new VirtualClock({ startMs: 0 });
  await start({ runtime: createRuntime({ clock: 'virtual', seed: 7, realClock }) });
  const terminal = await harness.terminal().connect();
  if (fault) await harness.services.faults.add(fault);
  const paying = slowPayment();
  const request = await terminal.next('PaymentRequest');
  return { terminal, realClock, request, ...paying };
}

const once = { after: 0, times: 1, status: 503 };

test('white space keeps a client waiting from 10 s on, and the answer follows it (B451)', async () => {
  const { terminal, realClock, seen, request } = await startSlowly();
  await realClock.advance(9_999);
  expect(seen).toMatchObject({ head: 0, text: '' });
  await realClock.advance(1);
  await until('the first space comes', () => seen.text === ' ');
  expect(seen.head).toBe(200);
  await realClock.advance(20_000);
  await until('more spaces come', () => seen.text === '   ');
  await terminal.authorize(request);
  terminal.approve(request);
  await until('the answer comes', () => seen.ended);
  expect(JSON.parse(seen.text).SaleToPOIResponse.PaymentResponse.Response.Result).toBe('Success');
  expect(harness.journal('http.answered').at(-1)?.data).toMatchObject({
    status: 200,
    whole: true,
    body: { SaleToPOIResponse: {} },
  });
  const { text } = seen;
  await realClock.advance(60_000);
  expect(seen.text).toBe(text);
});

test('a request that fails after the first space gets a Reject event (B451)', async () => {
  const { terminal, realClock, seen, request } = await startSlowly({ fault: 'failAnswer', ...once });
  await realClock.advance(10_000);
  await until('the first space comes', () => seen.text === ' ');
  await terminal.authorize(request);
  terminal.approve(request);
  await until('the answer comes', () => seen.ended);
  expect(JSON.parse(seen.text).SaleToPOIRequest.EventNotification.EventToNotify).toBe('Reject');
});

test('a fault before the first space is answered in the form of this API', async () => {
  const { terminal, seen, request } = await startSlowly({ fault: 'failAnswer', ...once });
  await terminal.authorize(request);
  terminal.approve(request);
  await until('the answer comes', () => seen.ended);
  expect(JSON.parse(seen.text)).toMatchObject({ status: 503, errorCode: '00_503' });
  expect(seen.head).toBe(503);
});

test.each(['truncateAnswer', 'dropAnswer'])(
  '%s breaks an answer that began with white space',
  async (fault) => {
    const more = { bytes: 20 } as object;
    const { terminal, realClock, seen, request } = await startSlowly({ fault, ...once, ...more });
    await realClock.advance(10_000);
    await until('the first space comes', () => seen.text === ' ');
    await terminal.authorize(request);
    terminal.approve(request);
    await until('the connection breaks', () => seen.error);
    expect(seen).toMatchObject({
      ended: false,
      text: fault === 'dropAnswer' ? ' ' : ' {"SaleToPOIResponse"',
    });
  },
);

test('a client that hangs up is sent no more bytes', async () => {
  const { realClock, seen, hangUp } = await startSlowly();
  await realClock.advance(10_000);
  await until('the first space comes', () => seen.text === ' ');
  hangUp();
  await harness.seen('http.hungUp');
  // No timer for white space is left. Such a timer would be due within 10 s.
  expect(realClock.nextDue()).toBeGreaterThan(20_000);
});
