import { sql } from 'kysely';
import { afterEach, expect, test } from 'vitest';
import { temporaryDatabaseFile } from '../../shared/database/temporary-file.fixture.ts';
import { minute, PaymentsHarness, testIds } from './payments-harness.fixture.ts';

let harness: PaymentsHarness;
afterEach(() => harness.stop());

const otherStore = '019b0000-0000-7000-8000-00000000000a';
const otherToken = 'test_token-of-the-other-shop';

/** Deletes the first terminal, and makes it again for another account. The new terminal has the same device key. */
async function madeAgain(id: string | undefined = testIds.terminal): Promise<string> {
  const { accounts, terminals, tokens } = harness.services;
  await terminals.deleteTerminal(testIds.terminal);
  await accounts.createAccount({ id: 'other', name: 'Other', currency: 'EUR' });
  await terminals.createStore({ id: otherStore, accountId: 'other', name: 'Other' });
  await tokens.createToken({ id: 'other-token', accountId: 'other', token: otherToken });
  const input = { poiId: 'V400m-1', storeId: otherStore, deviceKey: 'dev_V400m-1-key-of-test' };
  return (await terminals.createTerminal({ ...input, ...(id === undefined ? {} : { id }) })).id;
}

async function authorized(options: { file?: string } = {}) {
  harness = await PaymentsHarness.start(options);
  const terminal = await harness.terminal().connect();
  const paying = harness.pay(25, { key: 'former' });
  const request = await terminal.next('PaymentRequest');
  await terminal.authorize(request);
  const id = request.body.SaleData.SaleTransactionID.TransactionID;
  const explain = () => harness.services.explanations.explain(id);
  return { terminal, paying, request, id, explain };
}

const messages = () => harness.journal('warning').map(({ data }) => data.message);

test('deleting a terminal aborts its undelivered payments, and the acquirer authorizes nothing for it (B8)', async () => {
  harness = await PaymentsHarness.start();
  const paying = harness.pay(25);
  await harness.seen('payment.accepted');
  await harness.services.terminals.deleteTerminal(testIds.terminal);
  const { body } = await paying;
  expect(body.response).toMatchObject({ result: 'failure', errorCondition: 'aborted' });
  const { ledger, poiId } = await harness.services.explanations.explain(body.identifier);
  expect(ledger).toMatchObject([{ kind: 'closed' }]);
  expect(poiId).toBeNull();
  expect(await harness.booksAgree()).toMatchObject({ agree: true, open: 0 });
  expect((await harness.pay(25)).body.error).toBe('terminalNotFound');
});

test('a payment that was delivered is deviceOut at its deadline, and its authorization is reversed (B8, B135)', async () => {
  const { paying, explain } = await authorized();
  await harness.services.terminals.deleteTerminal(testIds.terminal);
  await harness.clock.advance(150_000);
  expect((await paying).status).toBe(303);
  expect(await explain()).toMatchObject({ concludedAt: null, poiId: null });
  await harness.clock.advance(40_000);
  const { errorCondition, ledger } = await explain();
  expect(errorCondition).toBe('deviceOut');
  expect(ledger.map(({ kind }) => kind)).toEqual(['authorized', 'reversed']);
  expect(await harness.booksAgree()).toMatchObject({ agree: true, open: 0 });
});

test.each([
  ['the same identifier', testIds.terminal],
  ['a new identifier', undefined],
])(
  'a terminal that is made again with %s for another account has no access to payments of the former',
  async (_, made) => {
    const { paying, request, id, explain } = await authorized();
    await harness.services.acquirer.outcomes.set({
      scope: 'terminal',
      subject: testIds.terminal,
      mode: 'always',
      outcome: { type: 'silent' },
    });
    const terminalId = await madeAgain(made);
    expect(harness.services.acquirer.outcomes.list()).toEqual([]);
    const path = `/terminals/${terminalId}/payment-request`;
    const other = { token: otherToken };
    expect((await harness.call('GET', path, other)).status).toBe(404);
    expect((await harness.call('POST', `${path}/abort`, other)).status).toBe(404);
    const status = `/payment-requests/status?transactionId=${id}`;
    expect((await harness.call('GET', status, other)).status).toBe(404);
    const now = harness.services.terminals.byId(terminalId)!;
    expect(await harness.services.explanations.list({ limit: 50, terminal: now })).toEqual([]);

    const terminal = await harness.terminal().connect();
    await harness.settle();
    expect(terminal.received).toEqual([]);
    const again = await terminal.authorize(request, { AttemptID: 'attempt-2' });
    expect(again).toMatchObject({ Approved: false, ErrorCondition: 'NotAllowed' });
    await terminal.reverse(request);
    terminal.approve(request);
    await harness.seen('warning', 3);
    expect(messages()).toEqual([
      expect.stringContaining('deleted terminal'),
      expect.stringContaining('deleted terminal'),
      expect.stringContaining('deleted terminal'),
    ]);
    expect(await explain()).toMatchObject({ ledger: [{ kind: 'authorized' }], warnings: messages() });

    const selling = harness.call('POST', path, {
      ...other,
      body: { paymentTransaction: { amountsReq: { requestedAmount: 30 } } },
    });
    await terminal.pay();
    expect((await selling).body.response).toMatchObject({ result: 'success' });
    await harness.clock.advance(190_000);
    expect((await paying).status).toBe(303);
    expect((await harness.status(id)).body.response).toMatchObject({ errorCondition: 'deviceOut' });
    terminal.approve(request);
    await harness.seen('warning', 4);
    expect(terminal.closed).toBeUndefined();
    expect(await harness.booksAgree()).toMatchObject({ agree: true, concluded: 2, open: 0 });
  },
);

test('a payment of a deleted terminal ends after a restart, too, and no other terminal is asked about it', async () => {
  const file = temporaryDatabaseFile();
  const { paying, id } = await authorized({ file });
  paying.catch(() => {});
  await harness.services.terminals.deleteTerminal(testIds.terminal);
  await harness.stop();
  harness = await PaymentsHarness.start({ file, runtime: harness.runtime });
  const terminal = await harness.terminal().connect();
  expect(harness.journal('payment.lost').map((entry) => entry.terminal)).not.toContain('');
  const next = harness.pay(30);
  await terminal.pay();
  expect((await next).body.response).toMatchObject({ result: 'success' });
  await harness.clock.advance(4 * minute);
  expect(terminal.received).toEqual([]);
  expect((await harness.status(id)).body.response).toMatchObject({ errorCondition: 'deviceOut' });
  expect(await harness.booksAgree()).toMatchObject({ agree: true, concluded: 2, open: 0 });
});

test('a deletion that cannot be written has not happened', async () => {
  const { terminal, paying, request } = await authorized();
  await harness.tamper((db) =>
    sql`create temp trigger failing before delete on terminals begin select raise(abort, 'no room'); end`.execute(
      db,
    ),
  );
  await expect(harness.services.terminals.deleteTerminal(testIds.terminal)).rejects.toThrow('no room');
  terminal.approve(request);
  expect((await paying).body.response).toMatchObject({ result: 'success' });
  expect(terminal.closed).toBeUndefined();
});
