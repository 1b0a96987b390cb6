import { afterEach, expect, onTestFinished, test } from 'vitest';
import { temporaryDatabaseFile } from '../../../shared/database/temporary-file.fixture.ts';
import { testThoroughly } from '../../../test/optional-programs.ts';
import { until } from '../../../test/until.ts';
import { PaymentsHarness } from '../../payments/payments-harness.fixture.ts';
import { type Reaction, Receiver } from '../../webhooks/receiver.fixture.ts';
import { makeApprovedPayment, makePaymentTillMessage, makeTillMessage, Till } from './till.fixture.ts';

const testInCi = testThoroughly();

let harness: PaymentsHarness;
afterEach(() => harness.stop());

const accepts: Reaction = (response) => void response.writeHead(200).end('[accepted]\n');

async function start(options: Parameters<typeof PaymentsHarness.start>[0] = {}) {
  harness = await PaymentsHarness.start({ adyen: true, ...options });
  const receiver = await Receiver.start(() => accepts);
  onTestFinished(() => receiver.close());
  await hook(receiver.url);
  const till = new Till(harness);
  const ask = (body: unknown, path = '/async') => till.send(body, path);
  return { till, ask, receiver, terminal: await harness.terminal().connect() };
}

function hook(url: string) {
  return harness.services.webhooks.create({
    id: 'results',
    accountId: 'shop',
    url,
    types: ['adyen.results'],
  });
}

const received = (receiver: Receiver, count: number) =>
  until(`${count} results come`, () => receiver.received.length >= count);

/**
 * Lets virtual time pass until everything that is due is done. If an event were sent a second time, it would arrive
 * during this time.
 */
async function restOf(receiver: Receiver) {
  await harness.settle();
  await harness.clock.advance(3_600_000);
  return receiver.received.length;
}

test('a payment is accepted with ok, and its result is sent to the account as /sync would answer it (B460)', async () => {
  const { till, ask, receiver, terminal } = await start();
  const answer = await ask(makePaymentTillMessage('1', 25));
  expect(answer).toMatchObject({ status: 200, text: 'ok' });
  await terminal.pay();
  await received(receiver, 1);
  const [{ headers, body } = { headers: {}, body: '' }] = receiver.received;
  expect(body).toBe((await till.pay('1', 25)).text.trim());
  expect(JSON.parse(body).SaleToPOIResponse.PaymentResponse.Response.Result).toBe('Success');
  expect(headers).toMatchObject({ 'content-type': 'application/json' });
  expect(headers).not.toHaveProperty('webhook-signature');
  expect(await restOf(receiver)).toBe(1);
  expect(harness.journal('webhook.attempted')).toMatchObject([
    { data: { type: 'adyen.results', status: 200, answer: '[accepted]\n' } },
  ]);
});

test('an ok does not tell the outcome to the POS, and an accepted result does', async () => {
  const { ask, receiver, terminal } = await start({ lint: true });
  const told = async () => {
    const { body } = await harness.call('GET', '/control/sales', { token: 'control-token-of-test' });
    const { sales } = body as unknown as { sales: { told: string; findings: unknown[] }[] };
    return sales.map((sale) => [sale.told, sale.findings]);
  };
  await ask(makePaymentTillMessage('1', 25));
  receiver.react = () => 500;
  await terminal.pay();
  await received(receiver, 1);
  await harness.settle();
  expect(await told()).toEqual([['untold', []]]);
  receiver.react = () => accepts;
  await harness.clock.advance(10_000);
  await harness.clock.advance(3_600_000);
  expect(await told()).toEqual([['told', []]]);
});

test('the device API accepts a payment, too', async () => {
  const { ask, receiver, terminal } = await start();
  expect((await ask(makePaymentTillMessage('1', 25), '/v1/merchants/M1/devices/V400m-1/async')).text).toBe(
    'ok',
  );
  await terminal.pay();
  await received(receiver, 1);
});

test('a payment for a terminal without a link is rejected at once, and no result is sent', async () => {
  const { ask, receiver, terminal } = await start();
  terminal.link?.close(1000, 'test');
  await harness.seen('link.closed');
  const { body } = await ask(makePaymentTillMessage('1', 25));
  expect(body.SaleToPOIRequest.EventNotification).toMatchObject({
    EventToNotify: 'Reject',
    EventDetails: 'message=Terminal+is+not+reachable',
  });
  expect((await ask({ a: 1 })).body.SaleToPOIRequest.EventNotification.EventToNotify).toBe('Reject');
  expect(await restOf(receiver)).toBe(0);
});

test('the results of other messages are sent, too: refusals and statuses; an abort has no result', async () => {
  const { ask, receiver } = await start();
  const reference = { MessageReference: { MessageCategory: 'Payment', ServiceID: 'none' } };
  const sent = [
    makePaymentTillMessage('1', 25, { payment: { PaymentTransaction: {} } }),
    makeTillMessage('TransactionStatus', '2', reference),
    makeTillMessage('Abort', '3', { AbortReason: 'MerchantAbort', ...reference }),
    makeTillMessage('Login', '4', {}),
  ];
  for (const each of sent) expect((await ask(each)).text).toBe('ok');
  await received(receiver, 3);
  const bodies = receiver.received.map(({ event }) => Object.values(event.SaleToPOIResponse)[1]);
  const conditions = (bodies as { Response: { ErrorCondition: string } }[]).map(
    ({ Response }) => Response.ErrorCondition,
  );
  expect(conditions.sort()).toEqual(['MessageFormat', 'NotFound', 'UnavailableService']);
  expect(await restOf(receiver)).toBe(3);
});

test('a payment that is open at the time limit is rejected, and its status tells its result', async () => {
  const { till, ask, receiver, terminal } = await start();
  await ask(makePaymentTillMessage('1', 25));
  const request = await terminal.next('PaymentRequest');
  await harness.clock.advance(149_000);
  expect(receiver.received).toHaveLength(0);
  await harness.clock.advance(1_000);
  await received(receiver, 1);
  const [{ event } = { event: undefined }] = receiver.received;
  const { EventNotification, MessageHeader } = event.SaleToPOIRequest;
  expect(EventNotification.EventDetails).toBe('message=Did+not+receive+a+response+from+the+POI.');
  expect(MessageHeader).toMatchObject({ ServiceID: '1', SaleID: 'POS1', POIID: 'V400m-1' });
  await terminal.authorize(request);
  terminal.approve(request);
  await harness.seen('payment.concluded');
  const status = (await till.status('1')).body.SaleToPOIResponse.TransactionStatusResponse;
  expect(status.Response.Result).toBe('Success');
  expect(receiver.received).toHaveLength(1);
});

test('a repeated message has one result while it is under way, and gets it once more afterwards', async () => {
  const { ask, receiver, terminal } = await start();
  for (const _ of [1, 2]) expect((await ask(makePaymentTillMessage('1', 25))).text).toBe('ok');
  await terminal.pay();
  await received(receiver, 1);
  await harness.settle();
  expect(receiver.received).toHaveLength(1);
  expect((await ask(makePaymentTillMessage('1', 25))).text).toBe('ok');
  await received(receiver, 2);
  expect(receiver.received[1]?.body).toBe(receiver.received[0]?.body);
});

test.each<[string, Reaction]>([
  ['another word', (response) => void response.writeHead(200).end('accepted')],
  ['nothing', 204],
  ['an error', 500],
])(
  'an answer other than [accepted], such as %s, is a failure, and the result is sent again',
  async (_, reaction) => {
    const { ask, receiver, terminal } = await start();
    receiver.react = () => (receiver.received.length > 1 ? accepts : reaction);
    await ask(makePaymentTillMessage('1', 25));
    await terminal.pay();
    await received(receiver, 1);
    await harness.settle();
    await harness.clock.advance(10_000);
    expect(receiver.received).toHaveLength(2);
    expect(receiver.received[1]?.body).toBe(receiver.received[0]?.body);
    expect(await restOf(receiver)).toBe(2);
  },
);

testInCi('a receiver has 10 s to answer', async () => {
  const { ask, receiver, terminal } = await start();
  receiver.react = () => 'hangs';
  await ask(makePaymentTillMessage('1', 25));
  await terminal.pay();
  await received(receiver, 1);
  await harness.clock.advance(10_000);
  const [delivery] = await harness.services.deliveries.list({ limit: 1 });
  expect(delivery?.attempts).toMatchObject([{ error: 'the receiver did not answer within 10000 ms' }]);
});

test('a reversal ends at its terminal even if nobody reads its result, and the result is sent until read (B460, B493)', async () => {
  const { till, ask, receiver, terminal } = await start();
  const reference = await makeApprovedPayment(till, terminal);
  receiver.react = () => 'hangs';
  const body = {
    OriginalPOITransaction: { POITransactionID: { TransactionID: reference } },
    ReversalReason: 'MerchantCancel',
    ReversedAmount: 10,
  };
  expect((await ask(makeTillMessage('Reversal', '2', body))).text).toBe('ok');
  await terminal.giveBack();
  await received(receiver, 1);
  const next = till.pay('3', 5);
  await terminal.pay();
  expect((await next).body.SaleToPOIResponse.PaymentResponse.Response.Result).toBe('Success');
  await harness.clock.advance(10_000);
  receiver.react = () => accepts;
  await harness.clock.advance(3_600_000);
  expect(await restOf(receiver)).toBe(2);
  const [first, second] = receiver.received.map((each) => each.body);
  expect(second).toBe(first);
  expect(JSON.parse(first ?? '').SaleToPOIResponse.ReversalResponse).toMatchObject({
    Response: { Result: 'Success' },
    ReversedAmount: 10,
  });
  expect(await harness.booksAgree()).toMatchObject({ agree: true, concluded: 3, open: 0 });
});

test('results are sent only to webhooks that name them, and are in no list of events (B461)', async () => {
  const { ask, receiver, terminal } = await start();
  const events = await Receiver.start();
  onTestFinished(() => events.close());
  await harness.services.webhooks.create({ id: 'events', accountId: 'shop', url: events.url });
  await ask(makePaymentTillMessage('1', 25));
  await terminal.pay();
  await received(receiver, 1);
  await restOf(receiver);
  expect(events.received).toHaveLength(0);
  expect(await harness.services.events.list({ limit: 10 })).toEqual([]);
});

test('without an address the payment is still made, and one warning says so', async () => {
  const { ask, terminal } = await start();
  await harness.services.webhooks.delete('results');
  for (const id of ['1', '2']) {
    expect((await ask(makePaymentTillMessage(id, 25))).text).toBe('ok');
    await terminal.pay();
    await harness.seen('payment.concluded', Number(id));
  }
  const warnings = harness.journal('warning').filter(({ data }) => data.message.includes('are not sent'));
  expect(warnings).toHaveLength(1);
});

test('a result is sent even if the process that answered ok ended before the payment or after it', async () => {
  const file = temporaryDatabaseFile();
  const { ask, receiver, terminal } = await start({ file });
  await ask(makePaymentTillMessage('1', 25));
  const request = await terminal.next('PaymentRequest');
  const { runtime } = harness;
  await harness.stop();
  harness = await PaymentsHarness.start({ adyen: true, file, runtime });
  const again = await harness.terminal().connect();
  await again.authorize(request);
  receiver.react = () => 'hangsUp';
  again.approve(request);
  await received(receiver, 1);
  await harness.settle();
  await harness.stop();
  receiver.react = () => accepts;
  harness = await PaymentsHarness.start({ adyen: true, file, runtime });
  await harness.clock.advance(10_000);
  await received(receiver, 2);
  expect(receiver.received[1]?.body).toBe(receiver.received[0]?.body);
  expect(JSON.parse(receiver.received[1]?.body ?? '').SaleToPOIResponse.PaymentResponse.Response.Result).toBe(
    'Success',
  );
  expect(await restOf(receiver)).toBe(2);
});
