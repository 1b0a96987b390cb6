import { afterEach, expect, test } from 'vitest';
import { PaymentsHarness, testIds } from './payments-harness.fixture.ts';

/**
 * The tests of this file call the methods for an API that answers at once and does not wait for the payment's outcome.
 */

let harness: PaymentsHarness;
afterEach(() => harness.stop());

const caller = { accountId: testIds.account, environment: 'sandbox', tokenId: 'token' } as const;

const arrivesNow = () => ({ arrivedAt: harness.clock.monotonic() });

async function paying() {
  harness = await PaymentsHarness.start();
  const terminal = await harness.terminal().connect();
  const answer = harness.pay(25, { key: 'k' });
  const request = await terminal.next('PaymentRequest');
  const { TransactionID: id } = request.body.SaleData.SaleTransactionID;
  const { payments } = harness.services;
  const statusNow = () => payments.statusNow(caller, { idempotencyKey: 'k' }, arrivesNow());
  const abortNow = () => payments.abortNow(caller, { idempotencyKey: 'k' }, arrivesNow());
  return { terminal, answer, request, id, statusNow, abortNow };
}

test('the immediate status of a payment says that it is open, and later its outcome', async () => {
  const { terminal, answer, request, id, statusNow } = await paying();
  expect(await statusNow()).toEqual({ id, acceptedAt: expect.any(Number) });
  terminal.refuse(request, 'Cancel');
  await answer;
  expect(await statusNow()).toMatchObject({
    id,
    outcome: { payment: id, result: 'failure', reason: 'Cancel' },
  });
});

test('an immediate abort says that it was requested before the terminal acknowledges it, and concluded afterwards', async () => {
  const { terminal, answer, request, abortNow } = await paying();
  expect(await abortNow()).toBe('asked');
  await terminal.next('AbortRequest');
  terminal.refuse(request, 'Aborted');
  await answer;
  expect(await abortNow()).toBe('concluded');
});

test('a payment that does not exist is unknown to both calls, and nothing is aborted', async () => {
  await paying();
  const { payments } = harness.services;
  const reference = { idempotencyKey: 'unknown' };
  expect(await payments.statusNow(caller, reference, arrivesNow())).toBeUndefined();
  expect(await payments.abortNow(caller, reference, arrivesNow())).toBe('unknown');
});

test('the outcome at a busy terminal names the payment in progress, and has a reference of its own', async () => {
  const { id } = await paying();
  const { body } = await harness.pay(5, { key: 'second' });
  const second = await harness.services.payments.statusNow(
    caller,
    { idempotencyKey: 'second' },
    arrivesNow(),
  );
  expect(second?.outcome).toMatchObject({
    payment: body.identifier,
    reason: 'Busy',
    busyWith: id,
    references: { terminal: { id: expect.stringMatching(/^\w{10}$/), at: expect.any(String) } },
  });
  expect(body).not.toHaveProperty('busyWith');
});
