import { afterEach, expect, test } from 'vitest';
import { temporaryDatabaseFile } from '../../../shared/database/temporary-file.fixture.ts';
import { hour, PaymentsHarness, testIds } from '../../payments/payments-harness.fixture.ts';
import { makePaymentTillMessage, makeTillMessage, Till } from './till.fixture.ts';

let harness: PaymentsHarness;
afterEach(() => harness.stop());

async function start(options: Parameters<typeof PaymentsHarness.start>[0] = {}) {
  harness = await PaymentsHarness.start({ adyen: true, ...options });
  return { till: new Till(harness), terminal: await harness.terminal().connect() };
}

test('a payment is paid, and its answer repeats the header, the sale and the metadata', async () => {
  const { till, terminal } = await start();
  const metadata = Buffer.from(JSON.stringify({ metadata: { order: '7', card: '4111 1111 1111 1111' } }));
  const reply = till.pay('1', 25, {
    sale: { SaleReferenceID: 'order-1', SaleToAcquirerData: metadata.toString('base64') },
  });
  await terminal.pay();
  const { status, body } = await reply;
  expect(status).toBe(200);
  const { MessageHeader, PaymentResponse } = body.SaleToPOIResponse;
  expect(MessageHeader).toEqual({
    ProtocolVersion: '3.0',
    MessageClass: 'Service',
    MessageCategory: 'Payment',
    MessageType: 'Response',
    ServiceID: '1',
    SaleID: 'POS1',
    POIID: 'V400m-1',
  });
  expect(PaymentResponse).toMatchObject({
    Response: { Result: 'Success' },
    SaleData: {
      SaleTransactionID: { TransactionID: 'sale-1', TimeStamp: '2026-01-01T00:00:00.000Z' },
      SaleReferenceID: 'order-1',
    },
    PaymentResult: { AmountsResp: { Currency: 'EUR', AuthorizedAmount: 25 } },
    PaymentReceipt: [{ DocumentQualifier: 'CashierReceipt' }],
  });
  const said = new URLSearchParams(PaymentResponse.Response.AdditionalResponse);
  expect(said.get('metadata.order')).toBe('7');
  expect(said.get('metadata.card')).not.toContain('1111 1111');
});

test('a decline is a Failure with an empty list of receipts', async () => {
  const { till, terminal } = await start();
  const reply = till.pay('1', 25);
  terminal.refuse(await terminal.next('PaymentRequest'), 'Refusal');
  expect((await reply).body.SaleToPOIResponse.PaymentResponse).toMatchObject({
    Response: {
      Result: 'Failure',
      ErrorCondition: 'Refusal',
      AdditionalResponse: expect.stringContaining('refusalReason='),
    },
    PaymentReceipt: [],
  });
});

test('a repeated message joins the payment, and gets its answer for 48 h, also after a restart (B452, B453)', async () => {
  const file = temporaryDatabaseFile();
  const { till, terminal } = await start({ file });
  const first = till.pay('1', 25);
  const request = await terminal.next('PaymentRequest');
  const joined = till.pay('1', 25, {
    sale: { SaleTransactionID: { TransactionID: 'sale-1', TimeStamp: '2026-01-01T00:00:09.000Z' } },
  });
  await terminal.authorize(request);
  terminal.approve(request);
  const { text } = await first;
  expect((await joined).text).toBe(text);
  await harness.stop();

  harness = await PaymentsHarness.start({ adyen: true, file, runtime: harness.runtime });
  const again = new Till(harness);
  expect((await again.pay('1', 25)).text).toBe(text);
  const status = (await again.status('1', { request: { ReceiptReprintFlag: true } })).body.SaleToPOIResponse;
  const { MessageHeader, PaymentResponse } = JSON.parse(text).SaleToPOIResponse;
  expect(status.TransactionStatusResponse).toMatchObject({
    Response: { Result: 'Success' },
    RepeatedMessageResponse: { MessageHeader, RepeatedResponseMessageBody: { PaymentResponse } },
  });
  await harness.clock.advance(48 * hour);
  const back = await harness.terminal().connect();
  const anew = again.pay('1', 25);
  await back.pay();
  expect((await anew).text).not.toBe(text);
});

test('a repeated ServiceID with another body is refused, and pays nothing (B453)', async () => {
  const { till, terminal } = await start();
  const first = till.pay('1', 25);
  await terminal.pay();
  await first;
  const { Response } = (await till.pay('1', 26)).body.SaleToPOIResponse.PaymentResponse;
  expect(Response).toMatchObject({ Result: 'Failure', ErrorCondition: 'NotAllowed' });
  expect(harness.journal('payment.accepted')).toHaveLength(1);
});

test('the same ServiceID of another till or terminal is a payment of its own (B452)', async () => {
  const { till, terminal } = await start();
  const other = await harness.terminal('V400m-2').connect();
  const replies = [till.pay('1', 25), till.pay('1', 25, { header: { POIID: 'V400m-2' } })];
  await Promise.all([terminal.pay(), other.pay()]);
  await Promise.all(replies);
  const third = till.pay('1', 25, { header: { SaleID: 'POS2' } });
  await terminal.pay();
  expect((await third).body.SaleToPOIResponse.PaymentResponse.Response.Result).toBe('Success');
  expect(harness.journal('payment.accepted')).toHaveLength(3);
});

test('the payment is not found by key in the payments API, but is found by identifier and terminal (B452)', async () => {
  const { till, terminal } = await start();
  const reply = till.pay('1', 25);
  const { body } = await terminal.pay();
  await reply;
  const id = body.SaleData.SaleTransactionID.TransactionID;
  const key = encodeURIComponent(String(harness.journal('payment.accepted')[0]?.data.idempotencyKey));
  const byKey = await harness.call('GET', `/payment-requests/status?idempotencyKey=${key}`);
  expect(byKey.status).toBeGreaterThanOrEqual(400);
  expect((await harness.status(id)).body).toMatchObject({ response: { result: 'success' } });
  const latest = await harness.call('GET', `/terminals/${testIds.terminal}/payment-request`);
  expect(latest.body.identifier).toBe(id);
});

test('a terminal without a link is refused at once, and its ServiceID can be used again (B450)', async () => {
  const { till, terminal } = await start();
  terminal.link?.close(1000, 'test');
  await harness.seen('link.closed');
  const refused = (await till.pay('1', 25)).body.SaleToPOIRequest;
  expect(refused).toMatchObject({
    MessageHeader: { MessageClass: 'Event', MessageType: 'Notification', ServiceID: '1', POIID: 'V400m-1' },
    EventNotification: { EventToNotify: 'Reject', EventDetails: 'message=Terminal+is+not+reachable' },
  });
  const sent = JSON.parse(Buffer.from(refused.EventNotification.RejectedMessage, 'base64').toString());
  expect(sent).toEqual(makePaymentTillMessage('1', 25));
  const status = async () => (await till.status('1')).body.SaleToPOIResponse.TransactionStatusResponse;
  expect((await status()).Response).toMatchObject({ Result: 'Failure', ErrorCondition: 'NotFound' });
  const back = await harness.terminal().connect();
  const again = till.pay('1', 25);
  await back.pay();
  expect((await again).body.SaleToPOIResponse.PaymentResponse.Response.Result).toBe('Success');
  expect((await status()).Response.Result).toBe('Success');
});

test('a payment that is open at the time limit gets a Reject event, goes on, and its status tells its result', async () => {
  const { till, terminal } = await start();
  const reply = till.pay('1', 25);
  const request = await terminal.next('PaymentRequest');
  await harness.clock.advance(150_000);
  expect((await reply).body.SaleToPOIRequest.EventNotification).toMatchObject({
    EventToNotify: 'Reject',
    EventDetails: 'message=Did+not+receive+a+response+from+the+POI.',
  });
  const status = async () => (await till.status('1')).body.SaleToPOIResponse.TransactionStatusResponse;
  expect((await status()).Response).toMatchObject({ Result: 'Failure', ErrorCondition: 'InProgress' });
  await terminal.authorize(request);
  terminal.approve(request);
  await harness.seen('payment.concluded');
  const { RepeatedMessageResponse } = await status();
  expect(RepeatedMessageResponse).toMatchObject({
    MessageHeader: { ServiceID: '1', MessageCategory: 'Payment' },
    RepeatedResponseMessageBody: { PaymentResponse: { Response: { Result: 'Success' }, PaymentReceipt: [] } },
  });
});

test('an abort is always answered with ok, and the payment tells what became of it', async () => {
  const { till, terminal } = await start();
  expect(await till.abort('nothing')).toMatchObject({ status: 200, text: 'ok' });
  const reply = till.pay('1', 25);
  const request = await terminal.next('PaymentRequest');
  expect(await till.abort('1', { SaleID: 'POS1', POIID: 'V400m-1' })).toMatchObject({
    status: 200,
    text: 'ok',
  });
  await terminal.next('AbortRequest');
  terminal.refuse(request, 'Aborted');
  const { Response } = (await reply).body.SaleToPOIResponse.PaymentResponse;
  expect(Response).toMatchObject({ Result: 'Failure', ErrorCondition: 'Aborted' });
  expect(await till.abort('1')).toMatchObject({ status: 200, text: 'ok' });
});

test('a busy terminal names the ServiceID of its current payment', async () => {
  const { till, terminal } = await start();
  const first = till.pay('1', 25);
  const request = await terminal.next('PaymentRequest');
  const { Response } = (await till.pay('2', 30)).body.SaleToPOIResponse.PaymentResponse;
  expect(Response).toMatchObject({ Result: 'Failure', ErrorCondition: 'Busy' });
  expect(new URLSearchParams(Response.AdditionalResponse).get('serviceId')).toBe('1');
  await terminal.authorize(request);
  terminal.approve(request);
  await first;
});

test.each([
  ['form', 'tenderOption=ReceiptHandler%2CAskGratuity'],
  ['Base64', Buffer.from('{"tenderOption":"AskGratuity"}').toString('base64')],
  ['object', { tenderOption: 'AskGratuity' }],
])('the terminal asks for a tip in the way that a %s says', async (_, SaleToAcquirerData) => {
  const { till, terminal } = await start();
  const reply = till.pay('1', 25, { sale: { SaleToAcquirerData } });
  const request = await terminal.next('PaymentRequest');
  expect(JSON.parse(request.body.SaleData.SaleToPOIData ?? '').gratuity).toMatchObject({ custom: true });
  await terminal.authorize(request, { TotalAmount: 2875 });
  terminal.approve(request, 3.75);
  expect((await reply).body.SaleToPOIResponse.PaymentResponse.PaymentResult.AmountsResp).toEqual({
    Currency: 'EUR',
    AuthorizedAmount: 28.75,
    TipAmount: 3.75,
  });
});

test.each([
  ['a card acquired before', { PaymentData: { CardAcquisitionReference: {} } }, 'UnavailableService'],
  ['another currency', amounts({ Currency: 'USD' }), 'PaymentRestriction'],
  ['a tip of the till', amounts({ TipAmount: 1 }), 'UnavailableService'],
  ['cash', amounts({ CashBackAmount: 1 }), 'UnavailableService'],
  ['more than the limit', amounts({ RequestedAmount: 20_000 }), 'PaymentRestriction'],
  ['too many decimals', amounts({ RequestedAmount: 1.001 }), 'MessageFormat'],
  ['nothing', amounts({ RequestedAmount: 0 }), 'MessageFormat'],
  ['text', amounts({ RequestedAmount: '25' }), 'MessageFormat'],
])('%s is refused, and nothing is kept (B455)', async (_, payment, condition) => {
  const { till } = await start();
  const { PaymentResponse } = (await till.pay('1', 25, { payment })).body.SaleToPOIResponse;
  expect(PaymentResponse).toMatchObject({
    Response: { Result: 'Failure', ErrorCondition: condition },
    SaleData: { SaleTransactionID: { TransactionID: 'sale-1' } },
    POIData: { POITransactionID: { TransactionID: '1' } },
  });
  expect(harness.journal('payment.accepted')).toEqual([]);
});

test.each(['Login', 'CardAcquisition', 'Input', 'Display', 'Reconciliation'])(
  '%s is not emulated, and says so (B455)',
  async (category) => {
    const { till } = await start();
    const { body } = await till.send(makeTillMessage(category, '1', {}));
    expect(body.SaleToPOIResponse[`${category}Response`].Response).toMatchObject({
      Result: 'Failure',
      ErrorCondition: 'UnavailableService',
    });
  },
);

test('a diagnosis tells whether the terminal is busy', async () => {
  const { till, terminal } = await start();
  const diagnose = async () =>
    (await till.send(makeTillMessage('Diagnosis', '9', { HostDiagnosisFlag: true }))).body.SaleToPOIResponse
      .DiagnosisResponse;
  expect(await diagnose()).toMatchObject({
    POIStatus: { GlobalStatus: 'OK' },
    HostStatus: [{ IsReachableFlag: true }],
  });
  const reply = till.pay('1', 25);
  const request = await terminal.next('PaymentRequest');
  expect(await diagnose()).toMatchObject({ POIStatus: { GlobalStatus: 'Busy' } });
  terminal.refuse(request, 'Cancel');
  await reply;
});

function amounts(more: object) {
  return {
    PaymentTransaction: { AmountsReq: { Currency: 'EUR', RequestedAmount: 25, ...more } },
  };
}
