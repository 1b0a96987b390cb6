import { sql } from 'kysely';
import { afterEach, expect, test } from 'vitest';
import { outcome } from '../acquirer/schemas.ts';
import { ids, PaymentsHarness } from './payments-harness.fixture.ts';
import { authorization } from './test-terminal.fixture.ts';

let harness: PaymentsHarness;
afterEach(() => harness.stop());

/** From now on such a statement fails, as one does whose page cannot be written; gives how to end that. */
async function failing(statement: 'insert on' | 'delete on', table: string): Promise<() => Promise<unknown>> {
  const trigger = sql.raw(
    `create temp trigger failing before ${statement} ${table} begin select raise(abort, 'no room'); end`,
  );
  await harness.tamper((db) => trigger.execute(db));
  return () => harness.tamper((db) => sql`drop trigger failing`.execute(db));
}

async function onTheTerminal() {
  harness = await PaymentsHarness.start();
  const terminal = await harness.terminal().connect();
  const paying = harness.pay(25);
  const request = await terminal.next('PaymentRequest');
  return { terminal, paying, request };
}

test.each([
  ['insert on', 'payment_results'],
  ['delete on', 'open_payments'],
] as const)(
  'an outcome whose %s %s fails is not acknowledged; sent again it counts',
  async (statement, table) => {
    const { terminal, paying, request } = await onTheTerminal();
    await terminal.authorize(request);
    const mend = await failing(statement, table);
    terminal.approve(request);
    await harness.seen('link.closed');
    expect(harness.journal('payment.concluded')).toEqual([]);
    await mend();
    const back = await harness.terminal().connect();
    back.approve(request);
    expect((await paying).body.response).toMatchObject({ result: 'success' });
    expect(await harness.booksAgree()).toMatchObject({ agree: true, concluded: 1, open: 0 });
  },
);

test('an authorization whose commit fails is none: the next one is decided anew, and stands alone', async () => {
  const { terminal, paying, request } = await onTheTerminal();
  const id = request.body.SaleData.SaleTransactionID.TransactionID;
  // What comes in one turn shares a commit; the second breaks it for both.
  const mend = await failing('delete on', 'open_payments');
  terminal.send('AcquirerRequest', request.header.ServiceID, {
    Type: 'Authorize',
    PaymentReference: id,
    AttemptID: 'attempt-1',
    Currency: 'EUR',
    RequestedAmount: 2500,
    TotalAmount: 2500,
    Card: { Brand: 'visa', MaskedPan: '476173 **** 0119', EntryMode: 'ICC' },
  });
  terminal.refuse(request, 'Cancel');
  await harness.seen('link.closed');
  await mend();
  const back = await harness.terminal().connect();
  expect(await back.authorize(request)).toMatchObject({ Approved: true });
  back.approve(request);
  expect((await paying).body.response).toMatchObject({ result: 'success' });
  expect(await harness.booksAgree()).toMatchObject({ agree: true, concluded: 1 });
});

test('a payment whose acceptance fails leaves its terminal free', async () => {
  harness = await PaymentsHarness.start();
  const mend = await failing('insert on', 'open_payments');
  expect((await harness.pay(25)).status).toBe(500);
  await mend();
  const terminal = await harness.terminal().connect();
  const paying = harness.pay(25, { key: 'second' });
  await terminal.pay();
  expect((await paying).body.response).toMatchObject({ result: 'success' });
});

test('an outcome whose binding fails is still set, and decides when the host is asked again', async () => {
  const { terminal, paying, request } = await onTheTerminal();
  const { outcomes } = harness.services.acquirer;
  const decline = outcome.parse({ type: 'decline' });
  await outcomes.set({ scope: 'terminal', subject: ids.terminal, mode: 'once', outcome: decline });
  const mend = await failing('insert on', 'outcomes');
  terminal.send('AcquirerRequest', request.header.ServiceID, authorization(request.body));
  await harness.seen('link.closed');
  await mend();
  expect(outcomes.list()).toMatchObject([{ subject: ids.terminal }]);
  const back = await harness.terminal().connect();
  expect(await back.authorize(request)).toMatchObject({ Approved: false });
  back.refuse(request, 'Refusal');
  expect((await paying).body.response).toMatchObject({ result: 'failure', errorCondition: 'refusal' });
  expect(outcomes.list()).toEqual([]);
});

test('an abort whose write fails has not happened', async () => {
  harness = await PaymentsHarness.start();
  const paying = harness.pay(25, { key: 'k' });
  await harness.seen('payment.accepted');
  const mend = await failing('insert on', 'payment_results');
  const abort = () => harness.call('POST', '/payment-requests/abort', { body: { idempotencyKey: 'k' } });
  expect((await abort()).status).toBe(500);
  await mend();
  const terminal = await harness.terminal().connect();
  await terminal.pay();
  expect((await paying).body.response).toMatchObject({ result: 'success' });
  expect(terminal.received).toEqual([]);
});
