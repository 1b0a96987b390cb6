import { sql } from 'kysely';
import { afterEach, expect, test } from 'vitest';
import type { JournalEntry } from '../../shared/journal.ts';
import { hostOutcomeSchema } from '../acquirer/schemas.ts';
import { PaymentsHarness, testIds } from './payments-harness.fixture.ts';
import { makeAuthorizeRequest } from './test-terminal.fixture.ts';

let harness: PaymentsHarness;
afterEach(() => harness.stop());

/**
 * Makes some statements fail in the database, as if a page could not be written. `rows` limits the failures to certain
 * rows. Returns a function that ends the failures.
 */
async function failing(
  statement: 'insert on' | 'update on' | 'delete on',
  table: string,
  rows = 'true',
): Promise<() => Promise<unknown>> {
  const trigger = sql.raw(
    `create temp trigger failing before ${statement} ${table} when ${rows} begin select raise(abort, 'no room'); end`,
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
  'an outcome whose %s %s fails is not acknowledged, and counts when it is sent again',
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

test('an authorization whose commit fails is not given, and the next one is decided without it', async () => {
  const { terminal, paying, request } = await onTheTerminal();
  const id = request.body.SaleData.SaleTransactionID.TransactionID;
  // Two inputs of one turn share a commit. The second input makes the commit fail, so neither input is stored.
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

test.each(['reversed', 'authorized'])(
  'an attempt whose commit fails at the ledger entry "%s" does not replace the former attempt (B68, B134)',
  async (kind) => {
    const { terminal, paying, request } = await onTheTerminal();
    const id = request.body.SaleData.SaleTransactionID.TransactionID;
    const first = await terminal.authorize(request);
    const mend = await failing('insert on', 'ledger', `new.kind = '${kind}'`);
    const second = makeAuthorizeRequest(request.body, { AttemptID: 'attempt-2' });
    terminal.send('AcquirerRequest', request.header.ServiceID, second);
    await harness.seen('link.closed');
    await mend();
    const { ledger } = await harness.services.explanations.explain(id);
    expect(ledger).toMatchObject([{ kind: 'authorized', attemptId: 'attempt-1' }]);
    expect(ledger).toHaveLength(1);
    const back = await harness.terminal().connect();
    expect(await back.authorize(request)).toEqual(first);
    back.approve(request);
    expect((await paying).body.response).toMatchObject({ result: 'success' });
    expect(await harness.booksAgree()).toMatchObject({ agree: true, concluded: 1 });
  },
);

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
  const decline = hostOutcomeSchema.parse({ type: 'decline' });
  await outcomes.set({ scope: 'terminal', subject: testIds.terminal, mode: 'once', outcome: decline });
  const mend = await failing('insert on', 'outcomes');
  terminal.send('AcquirerRequest', request.header.ServiceID, makeAuthorizeRequest(request.body));
  await harness.seen('link.closed');
  await mend();
  expect(outcomes.list()).toMatchObject([{ subject: testIds.terminal }]);
  const back = await harness.terminal().connect();
  expect(await back.authorize(request)).toMatchObject({ Approved: false });
  back.refuse(request, 'Refusal');
  expect((await paying).body.response).toMatchObject({ result: 'failure', errorCondition: 'refusal' });
  expect(outcomes.list()).toEqual([]);
});

/** Sets how the host makes its next decision about a payment of the terminal. */
function setOnce(type: 'approve' | 'decline' | 'wrongPin'): Promise<void> {
  const { outcomes } = harness.services.acquirer;
  return outcomes.set({
    scope: 'terminal',
    subject: testIds.terminal,
    mode: 'once',
    outcome: hostOutcomeSchema.parse({ type }),
  });
}

/** Returns the outcomes that are set for terminals and payments. Memory and disk must have the same outcomes. */
async function outcomesSet(): Promise<[string, string][]> {
  let stored: [string, string][] = [];
  await harness.tamper(async (db) => {
    const rows = await db.selectFrom('outcomes').select(['subject', 'outcome']).execute();
    stored = rows.map((row) => [row.subject, JSON.parse(row.outcome).type]);
  });
  const known = harness.services.acquirer.outcomes.list();
  expect(known.map(({ subject, outcome: { type } }) => [subject, type])).toEqual(stored);
  return stored;
}

test.each([
  ['insert on', 'payment_results'],
  ['delete on', 'open_payments'],
  ['delete on', 'outcomes'],
] as const)(
  'the outcome set for a payment is kept, and applies, if %s %s fails at the end of the payment',
  async (statement, table) => {
    const { terminal, paying, request } = await onTheTerminal();
    const id = request.body.SaleData.SaleTransactionID.TransactionID;
    await setOnce('decline');
    expect(await terminal.authorize(request)).toMatchObject({ Approved: false });
    const mend = await failing(statement, table);
    terminal.refuse(request, 'Refusal');
    await harness.seen('link.closed');
    expect(await outcomesSet()).toEqual([[id, 'decline']]);
    await mend();
    const back = await harness.terminal().connect();
    expect(await back.authorize(request, { AttemptID: 'attempt-2' })).toMatchObject({ Approved: false });
    back.refuse(request, 'Refusal');
    expect((await paying).body.response).toMatchObject({ errorCondition: 'refusal' });
    expect(await outcomesSet()).toEqual([]);
    const next = harness.pay(30);
    await back.pay();
    expect((await next).body.response).toMatchObject({ result: 'success' });
  },
);

test('wrong PINs set for a terminal stay set until the end of the payment that used them is stored', async () => {
  harness = await PaymentsHarness.start();
  await setOnce('wrongPin');
  const terminal = await harness.terminal().connect();
  const paying = harness.pay(25);
  const request = await terminal.next('PaymentRequest');
  const mend = await failing('delete on', 'open_payments');
  terminal.refuse(request, 'WrongPIN');
  await harness.seen('link.closed');
  expect(await outcomesSet()).toEqual([[testIds.terminal, 'wrongPin']]);
  await mend();
  const back = await harness.terminal().connect();
  back.refuse(request, 'WrongPIN');
  expect((await paying).body.response).toMatchObject({ errorCondition: 'wrongPin' });
  expect(await outcomesSet()).toEqual([]);
});

test.each(['terminals', 'outcomes'] as const)(
  'the outcome set for a terminal stays if the deletion of %s fails, and goes when the terminal is deleted',
  async (table) => {
    const { terminal, paying, request } = await onTheTerminal();
    const { terminals } = harness.services;
    await setOnce('decline');
    const mend = await failing('delete on', table);
    await expect(terminals.deleteTerminal(testIds.terminal)).rejects.toThrow('no room');
    expect(await outcomesSet()).toEqual([[testIds.terminal, 'decline']]);
    await mend();
    expect(await terminal.authorize(request)).toMatchObject({ Approved: false });
    terminal.refuse(request, 'Refusal');
    expect((await paying).body.response).toMatchObject({ errorCondition: 'refusal' });
    await setOnce('decline');
    await terminals.deleteTerminal(testIds.terminal);
    expect(await outcomesSet()).toEqual([]);
  },
);

test('the former outcome stays if a new one cannot be set or it cannot be cleared', async () => {
  harness = await PaymentsHarness.start();
  await setOnce('approve');
  const mend = await failing('insert on', 'outcomes');
  await expect(setOnce('decline')).rejects.toThrow('no room');
  expect(await outcomesSet()).toEqual([[testIds.terminal, 'approve']]);
  await mend();
  await failing('delete on', 'outcomes');
  await expect(harness.services.acquirer.outcomes.clear(testIds.terminal)).rejects.toThrow('no room');
  expect(await outcomesSet()).toEqual([[testIds.terminal, 'approve']]);
});

test('an abort that cannot be stored has not happened', async () => {
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

test('a late decision of the host that cannot be stored is made as soon as it can be stored (B68, B128)', async () => {
  const { terminal, paying, request } = await onTheTerminal();
  const late = hostOutcomeSchema.parse({ type: 'late', delayMs: 5_000 });
  const { outcomes } = harness.services.acquirer;
  await outcomes.set({ scope: 'terminal', subject: testIds.terminal, mode: 'once', outcome: late });
  terminal.send('AcquirerRequest', request.header.ServiceID, makeAuthorizeRequest(request.body));
  await harness.settle();
  const mend = await failing('insert on', 'ledger');
  await harness.clock.advance(5_000);
  expect(harness.journal('warning').map(({ data }) => data.message)).toEqual([
    'the payment could not be stored: no room',
  ]);
  await mend();
  await harness.clock.advance(1_000);
  expect((await terminal.next('AcquirerResponse')).body).toMatchObject({ Approved: true });
  terminal.approve(request);
  expect((await paying).body.response).toMatchObject({ result: 'success' });
});

test("a lost payment's deadline that cannot be stored still runs, and is stored as soon as possible", async () => {
  const { terminal, paying } = await onTheTerminal();
  const mend = await failing('update on', 'open_payments');
  terminal.link?.close();
  await harness.seen('payment.lost');
  const stored = async () => (await harness.services.explanations.list({ limit: 1 }))[0]?.deadlineAt;
  expect(await stored()).toBeNull();
  await mend();
  await harness.clock.advance(1_000);
  expect(await stored()).toBe(harness.journal('payment.lost')[0]?.data.deadline);
  await harness.clock.advance(189_000);
  const { identifier } = (await paying).body;
  expect((await harness.status(identifier)).body.response).toMatchObject({ errorCondition: 'deviceOut' });
});

test('a message that waited while its link ended is dropped (B68)', async () => {
  const { terminal, paying, request } = await onTheTerminal();
  const held = Promise.withResolvers<void>();
  const holding = harness.tamper(() => held.promise);
  // The second input waits until the first input is on disk. The connection ends during this wait.
  terminal.send('AcquirerRequest', request.header.ServiceID, makeAuthorizeRequest(request.body));
  terminal.refuse(request, 'Cancel');
  await noted(({ kind, data }) => kind === 'message.received' && data.message === 'PaymentResponse');
  terminal.link?.close();
  await noted(({ kind }) => kind === 'link.closed');
  held.resolve();
  await holding;
  await harness.seen('ledger.authorized');
  expect(harness.journal('payment.concluded')).toEqual([]);
  const back = await harness.terminal().connect();
  back.refuse(request, 'Cancel');
  expect((await paying).body.response).toMatchObject({ errorCondition: 'cancel' });
});

/**
 * Resolves with the first journal entry for which `is` returns true. It does not wait for the consequences of that
 * entry.
 */
function noted(is: (entry: JournalEntry) => boolean): Promise<void> {
  const { journal } = harness.runtime;
  if (journal.since().some(is)) return Promise.resolve();
  return new Promise((resolve) => {
    const stop = journal.listen((entry) => {
      if (!is(entry)) return;
      stop();
      resolve();
    });
  });
}
