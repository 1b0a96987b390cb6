import { afterEach, expect, test } from 'vitest';
import { PaymentsHarness, testIds } from './payments-harness.fixture.ts';

let harness: PaymentsHarness;
afterEach(() => harness.stop());

const abort = (body: object) => harness.call('POST', '/payment-requests/abort', { body });

test('an undelivered payment concludes as aborted (B52, B54)', async () => {
  harness = await PaymentsHarness.start();
  const paying = harness.pay(25, { key: 'k' });
  await harness.seen('payment.accepted');
  expect((await abort({ idempotencyKey: 'k' })).status).toBe(204);
  expect((await paying).body.response).toMatchObject({ result: 'failure', errorCondition: 'aborted' });
  const terminal = await harness.terminal().connect();
  await harness.settle();
  expect(terminal.received).toEqual([]);
});

test('a delivered payment is 204 once the terminal acknowledges an abort that names the payment (B52, B54)', async () => {
  harness = await PaymentsHarness.start();
  const terminal = await harness.terminal().connect();
  const paying = harness.pay(25);
  const request = await terminal.next('PaymentRequest');
  const { TransactionID: transactionId } = request.body.SaleData.SaleTransactionID;
  expect((await abort({ transactionId })).status).toBe(204);
  const { body } = await terminal.next('AbortRequest');
  expect(body).toEqual({
    MessageReference: { MessageCategory: 'Payment', ServiceID: request.header.ServiceID },
    AbortReason: 'MerchantAbort',
  });
  terminal.refuse(request, 'Aborted');
  expect((await paying).body.response).toMatchObject({ result: 'failure', errorCondition: 'aborted' });
});

test('an abort of the most recent request needs only the terminal (B53)', async () => {
  harness = await PaymentsHarness.start();
  const terminal = await harness.terminal().connect();
  const paying = harness.pay(25);
  const request = await terminal.next('PaymentRequest');
  expect((await harness.call('POST', `/terminals/${testIds.terminal}/payment-request/abort`)).status).toBe(
    204,
  );
  await terminal.next('AbortRequest');
  terminal.refuse(request, 'Aborted');
  await paying;
});

test('an abort that comes too late is 204, and the payment stays approved (B54)', async () => {
  harness = await PaymentsHarness.start();
  const terminal = await harness.terminal().connect();
  const paying = harness.pay(25);
  const request = await terminal.next('PaymentRequest');
  await terminal.authorize(request);
  const { TransactionID: transactionId } = request.body.SaleData.SaleTransactionID;
  expect((await abort({ transactionId })).status).toBe(204);
  terminal.approve(request);
  expect((await paying).body.response).toMatchObject({ result: 'success' });
  expect((await abort({ transactionId })).status).toBe(204);
  expect((await harness.status(transactionId)).body.response).toMatchObject({ result: 'success' });
});

test('an unreachable terminal gives 504 after 30 s, and first receives the abort when it is back (B54)', async () => {
  harness = await PaymentsHarness.start();
  const terminal = await harness.terminal().connect();
  const paying = harness.pay(25, { key: 'k' });
  const request = await terminal.next('PaymentRequest');
  terminal.link?.close();
  await harness.seen('payment.lost');
  const aborting = abort({ idempotencyKey: 'k' });
  await harness.seen('payment.abortRequested');
  await harness.clock.advance(30_000);
  expect(await aborting).toMatchObject({ status: 504, body: { error: 'terminalUnreachable' } });
  const back = await harness.terminal().connect();
  const asked = await back.next('TransactionStatusRequest');
  expect(back.received.map(({ kind }) => kind)).toEqual(['AbortRequest']);
  back.answerStatus(asked, 'InProgress');
  back.refuse(request, 'Aborted');
  expect((await paying).body.response).toMatchObject({ errorCondition: 'aborted' });
});

test('a terminal that is back within 30 s and acknowledges the abort gives 204', async () => {
  harness = await PaymentsHarness.start();
  const terminal = await harness.terminal().connect();
  const paying = harness.pay(25, { key: 'k' });
  await terminal.next('PaymentRequest');
  terminal.link?.close();
  await harness.seen('payment.lost');
  const aborting = abort({ idempotencyKey: 'k' });
  await harness.seen('payment.abortRequested');
  const back = await harness.terminal().connect();
  expect((await aborting).status).toBe(204);
  back.answerStatus(await back.next('TransactionStatusRequest'), 'NotFound');
  expect((await paying).body.response).toMatchObject({ errorCondition: 'deviceOut' });
  expect(back.received.map(({ kind }) => kind)).toEqual(['AbortRequest']);
});

test('a payment that concludes while the abort waits gives 204', async () => {
  harness = await PaymentsHarness.start();
  const terminal = await harness.terminal().connect();
  const paying = harness.pay(25, { key: 'k' });
  const request = await terminal.next('PaymentRequest');
  terminal.link?.cut();
  const aborting = abort({ idempotencyKey: 'k' });
  await harness.seen('payment.abortRequested');
  const back = await harness.terminal().connect();
  back.refuse(request, 'Cancel');
  expect((await aborting).status).toBe(204);
  expect((await paying).body.response).toMatchObject({ errorCondition: 'cancel' });
});

test('an abort and an approval at the same moment give one outcome, with which the acquirer agrees', async () => {
  harness = await PaymentsHarness.start();
  const terminal = await harness.terminal().connect();
  const paying = harness.pay(25, { key: 'k' });
  const request = await terminal.next('PaymentRequest');
  await terminal.authorize(request);
  terminal.approve(request);
  expect((await abort({ idempotencyKey: 'k' })).status).toBe(204);
  expect((await paying).body.response).toMatchObject({ result: 'success' });
  expect(await harness.booksAgree()).toMatchObject({ agree: true, concluded: 1, open: 0 });
});

test('an abort without a body is refused with details (B115)', async () => {
  harness = await PaymentsHarness.start();
  expect(await harness.call('POST', '/payment-requests/abort')).toMatchObject({
    status: 400,
    body: { error: 'invalidRequest', details: [{ path: '', message: expect.any(String) }] },
  });
});

test('an unknown payment cannot be aborted (B54)', async () => {
  harness = await PaymentsHarness.start();
  expect(await abort({ transactionId: testIds.store })).toMatchObject({
    status: 404,
    body: { error: 'notFound' },
  });
  expect(await abort({ idempotencyKey: 'none' })).toMatchObject({ status: 404 });
  expect(await abort({})).toMatchObject({ status: 400, body: { error: 'invalidRequest' } });
  expect((await harness.call('POST', `/terminals/${testIds.terminal}/payment-request/abort`)).status).toBe(
    404,
  );
  expect((await harness.call('POST', `/terminals/${testIds.store}/payment-request/abort`)).body.error).toBe(
    'terminalNotFound',
  );
});
