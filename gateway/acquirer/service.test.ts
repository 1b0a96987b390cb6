import { afterEach, expect, test } from 'vitest';
import { temporaryDatabaseFile } from '../../shared/database/temporary-file.fixture.ts';
import { encodePairs } from '../../shared/nexo/pairs.ts';
import { PaymentsHarness, testIds } from '../payments/payments-harness.fixture.ts';
import { makeApproval, makeAuthorizeRequest } from '../payments/test-terminal.fixture.ts';
import type { HostOutcome } from './schemas.ts';

let harness: PaymentsHarness;
afterEach(() => harness.stop());

async function started(amount = 25, more: object = {}) {
  harness = await PaymentsHarness.start({ account: { transactionLimit: 10_000 } });
  const terminal = await harness.terminal().connect();
  const paying = harness.pay(amount, { more });
  const request = await terminal.next('PaymentRequest');
  const id = request.body.SaleData.SaleTransactionID.TransactionID;
  const explain = () => harness.services.explanations.explain(id);
  const kinds = async () => (await explain()).ledger.map(({ kind }) => kind);
  return { terminal, paying, request, id, explain, kinds };
}

const onTerminal = (outcome: HostOutcome, mode: 'once' | 'always' = 'once') =>
  harness.services.acquirer.outcomes.set({ scope: 'terminal', subject: testIds.terminal, mode, outcome });
const decline: HostOutcome = {
  type: 'decline',
  errorCondition: 'Refusal',
  refusalReason: '199 Card blocked',
  message: 'BLOCK_CARD',
};

test('an authorization that is requested twice is made once, and answered the same (B133, B134)', async () => {
  const { terminal, paying, request, kinds } = await started();
  const first = await terminal.authorize(request);
  expect(await terminal.authorize(request)).toEqual(first);
  expect(first).toMatchObject({ Approved: true, AuthCode: expect.stringMatching(/^\d{6}$/) });
  expect(await kinds()).toEqual(['authorized']);
  terminal.approve(request);
  await paying;
});

const otherCard = { Brand: 'mc', MaskedPan: '545454 **** 5454', EntryMode: 'ICC' } as const;

test('a new attempt replaces the former one while the payment is open (B134)', async () => {
  const { terminal, paying, request, kinds, explain } = await started();
  const first = await terminal.authorize(request);
  const second = await terminal.authorize(request, { AttemptID: 'attempt-2', Card: otherCard });
  expect(second).toMatchObject({ Approved: true, AttemptID: 'attempt-2' });
  expect(second.PspReference).not.toBe(first.PspReference);
  expect(await kinds()).toEqual(['authorized', 'reversed', 'authorized']);
  expect((await explain()).ledger).toMatchObject([
    { attemptId: 'attempt-1', card: '476173 **** 0119' },
    { attemptId: 'attempt-1', rule: 'replaced' },
    { attemptId: 'attempt-2', card: '545454 **** 5454' },
  ]);
  terminal.send(
    'PaymentResponse',
    request.header.ServiceID,
    makeApproval(request.body, 0, {
      AttemptID: 'attempt-2',
      PaymentBrand: 'mc',
      MaskedPan: '545454 **** 5454',
    }),
  );
  expect((await paying).body.response).toMatchObject({ result: 'success' });
  expect(await harness.booksAgree()).toMatchObject({ agree: true, concluded: 1 });
});

test('an attempt that was replaced or reversed is not approved again, and the current attempt is not changed', async () => {
  const { terminal, paying, request, kinds } = await started();
  await terminal.authorize(request);
  const second = await terminal.authorize(request, { AttemptID: 'attempt-2' });
  expect(await terminal.authorize(request)).toMatchObject({ Approved: false, Message: 'PAYMENT_CLOSED' });
  await terminal.reverse(request);
  await terminal.reverse(request, 'attempt-3');
  expect(await terminal.authorize(request, { AttemptID: 'attempt-3' })).toMatchObject({ Approved: false });
  expect(await terminal.authorize(request, { AttemptID: 'attempt-2' })).toEqual(second);
  expect(await kinds()).toEqual(['authorized', 'reversed', 'authorized', 'declined', 'closed', 'declined']);
  terminal.approve(request, 0, { AttemptID: 'attempt-2' });
  expect((await paying).body.response).toMatchObject({ result: 'success' });
  expect(await harness.booksAgree()).toMatchObject({ agree: true, concluded: 1 });
});

test('an attempt after the payment is concluded is declined, and moves no money (B134)', async () => {
  const { terminal, paying, request, kinds, explain } = await started();
  const first = await terminal.authorize(request);
  terminal.approve(request);
  await paying;
  const late = await terminal.authorize(request, { AttemptID: 'attempt-2' });
  expect(late).toMatchObject({ Approved: false, Message: 'PAYMENT_CLOSED' });
  expect(await terminal.authorize(request)).toEqual(first);
  await terminal.reverse(request, 'attempt-2');
  expect(await kinds()).toEqual(['authorized', 'declined']);
  expect(await explain()).toMatchObject({ result: 'success', decidedBy: 'host', rule: 'default' });
  expect(await harness.booksAgree()).toMatchObject({ agree: true, concluded: 1 });
});

test('a refused authorization that is requested again is refused the same way, even if another outcome was set', async () => {
  const { terminal, request, kinds, id } = await started(1.24);
  const first = await terminal.authorize(request);
  expect(first).toMatchObject({ Approved: false, RefusalReason: '210 Not enough balance' });
  await harness.services.acquirer.outcomes.set({
    scope: 'payment',
    subject: id,
    mode: 'once',
    outcome: { type: 'approve' },
  });
  expect(await terminal.authorize(request)).toEqual(first);
  expect(await kinds()).toEqual(['declined']);
});

test('an attempt after a wrong online PIN may be approved', async () => {
  const { terminal, request, kinds } = await started();
  expect(await terminal.authorize(request, { OnlinePin: 'Wrong' })).toMatchObject({
    Approved: false,
    ErrorCondition: 'WrongPIN',
  });
  const again = { AttemptID: 'attempt-2', OnlinePin: 'Correct' } as const;
  expect(await terminal.authorize(request, again)).toMatchObject({ Approved: true });
  expect(await kinds()).toEqual(['declined', 'authorized']);
});

test('a reversal undoes the authorization, once (B133)', async () => {
  const { terminal, request, kinds, paying } = await started();
  await terminal.authorize(request);
  await terminal.reverse(request);
  await terminal.reverse(request);
  expect(await kinds()).toEqual(['authorized', 'reversed']);
  expect(await terminal.authorize(request)).toMatchObject({ Approved: false, Message: 'PAYMENT_CLOSED' });
  terminal.refuse(request, 'Cancel');
  await paying;
  expect(await harness.booksAgree()).toMatchObject({ agree: true });
});

test('a reversal that comes before its authorization blocks it (B133)', async () => {
  const { terminal, request, kinds } = await started();
  await terminal.reverse(request);
  expect(await terminal.authorize(request)).toMatchObject({ Approved: false });
  expect(await kinds()).toEqual(['closed', 'declined']);
});

test('an approved payment that fails on the terminal is reversed when it concludes (B135)', async () => {
  const { terminal, request, kinds, paying } = await started();
  await terminal.authorize(request);
  terminal.refuse(request, 'Cancel');
  expect((await paying).body.response).toMatchObject({ errorCondition: 'cancel' });
  expect(await kinds()).toEqual(['authorized', 'reversed']);
  expect(harness.journal('ledger.reversed')).toMatchObject([{ data: { amount: 2500 } }]);
  await terminal.reverse(request);
  expect(await kinds()).toEqual(['authorized', 'reversed']);
});

test('a reversal changes nothing after a success was reported to the POS', async () => {
  const { terminal, request, kinds, paying, explain } = await started();
  await terminal.authorize(request);
  terminal.approve(request);
  await paying;
  await terminal.reverse(request, 'attempt-2');
  expect((await explain()).warnings).toEqual([]);
  await terminal.reverse(request);
  const late = 'a reversal came after the payment had succeeded, and changes nothing';
  expect((await explain()).warnings).toEqual([late]);
  expect(await kinds()).toEqual(['authorized']);
  expect(await harness.booksAgree()).toMatchObject({ agree: true });
});

test.each([
  ['without an authorization', false, 0, {}],
  ['of another amount than was authorized', true, 5, {}],
  ['in another currency than was authorized', true, 0, { Currency: 'USD' }],
  ['of another attempt than was authorized', true, 0, { AttemptID: 'attempt-2' }],
  ['that names no attempt', true, 0, { AttemptID: undefined }],
  ['of another card than was authorized', true, 0, { MaskedPan: '545454 **** 5454' }],
  ['of another application than was authorized', true, 0, { AID: 'A0000000032010' }],
  ['of another brand than was authorized', true, 0, { PaymentBrand: 'mc' as const }],
])('a success %s does not count as one (B134)', async (_, authorized, tip, of) => {
  const { terminal, request, paying } = await started();
  if (authorized) await terminal.authorize(request);
  terminal.approve(request, tip, of);
  expect((await paying).body.response).toMatchObject({
    result: 'failure',
    errorCondition: 'unavailableService',
  });
  expect(await harness.booksAgree()).toMatchObject({ agree: true, concluded: 1 });
});

const custom = { enabled: true, options: [{ type: 'custom' }] };
test.each([
  ['that no prompt was asked for', undefined, 1, 'the point of sale asked for no tip'],
  ['that a prompt was switched off for', { enabled: false }, 1, 'the point of sale asked for no tip'],
  ['above the transaction limit', custom, 75.01, 'at most 100.00 can be charged with a tip'],
])(
  'a success with a tip %s does not count, and its authorization is reversed (B134)',
  async (_, gratuity, tip, why) => {
    const { terminal, request, paying, explain, kinds } = await started(25, { gratuity });
    await terminal.authorize(request, { TotalAmount: 2500 + tip * 100 });
    terminal.approve(request, tip);
    const { response } = (await paying).body;
    expect(response).toMatchObject({ result: 'failure', errorCondition: 'unavailableService' });
    expect((await explain()).why).toContain(why);
    expect(await kinds()).toEqual(['authorized', 'reversed']);
    expect(await harness.booksAgree()).toMatchObject({ agree: true, concluded: 1 });
  },
);

test('a tip up to the transaction limit is accepted', async () => {
  const { terminal, request, paying } = await started(25, { gratuity: custom });
  await terminal.authorize(request, { TotalAmount: 10_000 });
  terminal.approve(request, 75);
  expect((await paying).body.response).toMatchObject({ result: 'success' });
});

test("a terminal cannot authorize or reverse another terminal's payments", async () => {
  const { request, kinds } = await started();
  const other = await harness.terminal('V400m-2').connect();
  other.send('AcquirerRequest', 'X', makeAuthorizeRequest(request.body));
  await harness.seen('link.closed');
  expect(other.closed).toMatchObject({ code: 1008 });
  expect(await kinds()).toEqual([]);
});

test('an outcome set once applies to the next payment, and not to the one after (B129)', async () => {
  harness = await PaymentsHarness.start();
  await onTerminal(decline);
  const terminal = await harness.terminal().connect();
  const first = harness.pay(25);
  const request = await terminal.next('PaymentRequest');
  expect(harness.services.acquirer.outcomes.list()).toMatchObject([{ scope: 'terminal' }]);
  expect(await terminal.authorize(request)).toMatchObject({ Approved: false, Message: 'BLOCK_CARD' });
  expect(harness.services.acquirer.outcomes.list()).toMatchObject([{ scope: 'payment' }]);
  terminal.refuse(request, 'Refusal');
  const { identifier } = (await first).body;
  expect(await harness.services.explanations.explain(identifier)).toMatchObject({
    decidedBy: 'host',
    rule: 'paymentOutcome',
    why: 'a test set this payment to decline: Card blocked (199)',
  });
  const second = harness.pay(25);
  await terminal.pay();
  expect((await second).body.response).toMatchObject({ result: 'success' });
  expect(harness.services.acquirer.outcomes.list()).toEqual([]);
});

test('a payment that the terminal refuses by itself does not use up an outcome set once (B129)', async () => {
  harness = await PaymentsHarness.start();
  await onTerminal(decline);
  const terminal = await harness.terminal().connect();
  const refused = harness.pay(25);
  terminal.refuse(await terminal.next('PaymentRequest'), 'Cancel');
  await refused;
  const second = harness.pay(25);
  const request = await terminal.next('PaymentRequest');
  expect(await terminal.authorize(request)).toMatchObject({ Approved: false, Message: 'BLOCK_CARD' });
  terminal.refuse(request, 'Refusal');
  await second;
  expect(harness.services.acquirer.outcomes.list()).toEqual([]);
});

test('a payment that stops waiting for the host uses up a late outcome set once', async () => {
  harness = await PaymentsHarness.start();
  await onTerminal({ type: 'late', delayMs: 45_000 });
  const terminal = await harness.terminal().connect();
  const first = harness.pay(25);
  const request = await terminal.next('PaymentRequest');
  terminal.send('AcquirerRequest', request.header.ServiceID, makeAuthorizeRequest(request.body));
  await harness.seen('message.received');
  await harness.clock.advance(30_000);
  terminal.refuse(request, 'Cancel');
  await first;
  expect(harness.services.acquirer.outcomes.list()).toEqual([]);
});

test.each([
  ['the answer says so', false, 'WrongPIN', []],
  ['a PIN was entered, and the shopper cancelled then', true, 'Cancel', []],
  ['no PIN was entered', false, 'Cancel', [{ scope: 'terminal', outcome: { type: 'wrongPin' } }]],
] as const)(
  'the outcome wrongPin, set once, acts on the terminal: %s',
  async (_, entered, condition, left) => {
    harness = await PaymentsHarness.start();
    await onTerminal({ type: 'wrongPin' });
    const terminal = await harness.terminal().connect();
    const paying = harness.pay(25);
    const request = await terminal.next('PaymentRequest');
    const { TransactionID, TimeStamp } = request.body.SaleData.SaleTransactionID;
    if (entered) {
      const ReferenceID = encodePairs(Object.entries({ TransactionID, TimeStamp, event: 'PIN_ENTERED' }));
      terminal.send('DisplayRequest', request.header.ServiceID, {
        DisplayOutput: [
          {
            ResponseRequiredFlag: false,
            Device: 'CashierDisplay',
            InfoQualify: 'Status',
            OutputContent: { OutputFormat: 'MessageRef', PredefinedContent: { ReferenceID } },
          },
        ],
      });
      await harness.seen('payment.progressed');
    }
    terminal.refuse(request, condition);
    await paying;
    expect(harness.services.acquirer.outcomes.list()).toMatchObject(left);
  },
);

test('an outcome set during a payment applies to it, and an outcome set for always stays', async () => {
  const { terminal, request, paying } = await started();
  await onTerminal(decline, 'always');
  expect(await terminal.authorize(request)).toMatchObject({ Approved: false });
  terminal.refuse(request, 'Refusal');
  await paying;
  expect(harness.services.acquirer.outcomes.list()).toMatchObject([{ scope: 'terminal', mode: 'always' }]);
  await harness.services.acquirer.outcomes.clear(testIds.terminal);
  expect(harness.services.acquirer.outcomes.list()).toEqual([]);
});

test('outcomes survive a restart', async () => {
  const file = temporaryDatabaseFile();
  harness = await PaymentsHarness.start({ file });
  await onTerminal(decline, 'always');
  await harness.stop();
  harness = await PaymentsHarness.start({ file, runtime: harness.runtime });
  expect(harness.services.acquirer.outcomes.plannedFor(testIds.terminal)?.outcome).toEqual(decline);
});

test('a silent host authorizes without an answer, and the reversal that follows undoes that', async () => {
  harness = await PaymentsHarness.start();
  await onTerminal({ type: 'silent' });
  const terminal = await harness.terminal().connect();
  const paying = harness.pay(25);
  const request = await terminal.next('PaymentRequest');
  terminal.send('AcquirerRequest', request.header.ServiceID, makeAuthorizeRequest(request.body));
  await harness.seen('ledger.authorized');
  await harness.clock.advance(30_000);
  expect(terminal.received).toEqual([]);
  await terminal.reverse(request);
  terminal.refuse(request, 'Cancel');
  await paying;
  expect((await harness.booksAgree()).agree).toBe(true);
});

test('a late host answers late, and declines after the reversal', async () => {
  harness = await PaymentsHarness.start();
  await onTerminal({ type: 'late', delayMs: 20_000 }, 'always');
  const terminal = await harness.terminal().connect();
  const first = harness.pay(25);
  const request = await terminal.next('PaymentRequest');
  terminal.send('AcquirerRequest', request.header.ServiceID, makeAuthorizeRequest(request.body));
  await harness.seen('message.received');
  await harness.clock.advance(19_999);
  expect(terminal.received).toEqual([]);
  await harness.clock.advance(1);
  expect((await terminal.next('AcquirerResponse')).body).toMatchObject({ Approved: true });
  terminal.approve(request);
  await first;

  const second = harness.pay(30);
  const again = await terminal.next('PaymentRequest');
  terminal.send('AcquirerRequest', again.header.ServiceID, makeAuthorizeRequest(again.body));
  await terminal.reverse(again);
  await harness.clock.advance(20_000);
  expect((await terminal.next('AcquirerResponse')).body).toMatchObject({ Approved: false });
  terminal.refuse(again, 'Cancel');
  await second;
  expect(await harness.booksAgree()).toMatchObject({ agree: true, concluded: 2 });
});

test('the ending 134 makes the terminal find every PIN wrong, unless magic amounts are off (B130, B131)', async () => {
  harness = await PaymentsHarness.start();
  const terminal = await harness.terminal().connect();
  const reported = async (amount: number) => {
    const paying = harness.pay(amount);
    const request = await terminal.next('PaymentRequest');
    terminal.refuse(request, 'WrongPIN');
    const { identifier } = (await paying).body;
    const { why } = await harness.services.explanations.explain(identifier);
    return { ...JSON.parse(request.body.SaleData.SaleToPOIData ?? ''), why };
  };
  expect(await reported(1.34)).toMatchObject({
    pinAlwaysWrong: true,
    why: expect.stringContaining('ends in 134'),
  });
  expect(await reported(1.35)).not.toHaveProperty('pinAlwaysWrong');
  await harness.services.terminals.updateTerminal(testIds.terminal, { magicAmounts: false });
  expect(await reported(1.34)).not.toHaveProperty('pinAlwaysWrong');
});

test.each([
  ['account', () => harness.services.accounts.updateAccount(testIds.account, { magicAmounts: false })],
  ['terminal', () => harness.services.terminals.updateTerminal(testIds.terminal, { magicAmounts: false })],
])(
  'the ending approves if magic amounts are switched off for the %s, and the explanation says so',
  async (whose, off) => {
    const { terminal, request, explain, paying } = await started(1.24);
    await off();
    expect(await terminal.authorize(request)).toMatchObject({ Approved: true });
    terminal.approve(request);
    await paying;
    expect((await explain()).why).toContain(`magic amounts are switched off for the ${whose}`);
  },
);

test('a difference between the books is found', async () => {
  const { terminal, request, paying, id } = await started();
  await terminal.authorize(request);
  terminal.approve(request);
  await paying;
  expect((await harness.booksAgree()).agree).toBe(true);
  await harness.tamper((db) => db.deleteFrom('ledger').where('payment_id', '=', id).execute());
  expect(await harness.booksAgree()).toMatchObject({
    agree: false,
    disagreements: [{ paymentId: id, reported: 'success', reportedAmount: 2500, movedAmount: 0 }],
  });
});

test('two authorizations of one payment are found, even if they add up to its amount', async () => {
  const { terminal, request, paying, id } = await started();
  await terminal.authorize(request);
  terminal.approve(request);
  await paying;
  await harness.tamper(async (db) => {
    const entry = await db.selectFrom('ledger').selectAll().executeTakeFirstOrThrow();
    await db.updateTable('ledger').set({ amount: 1500 }).execute();
    const second = { ...entry, id: `${entry.id}-2`, attempt_id: 'attempt-2', amount: 1000 };
    await db.insertInto('ledger').values(second).execute();
  });
  expect(await harness.booksAgree()).toMatchObject({
    agree: false,
    disagreements: [{ paymentId: id, reportedAmount: 2500, movedAmount: 2500, authorizations: 2 }],
  });
});

test.each([
  ['in another currency', { Currency: 'USD' }],
  ['of less than was requested', { TotalAmount: 2499 }],
  ['of a negative amount', { TotalAmount: -2500 }],
])(
  'an authorization %s is declined, and one as requested is still approved afterwards (B134)',
  async (_, more) => {
    const { terminal, request, kinds, paying } = await started();
    const other = await terminal.authorize(request, { AttemptID: 'attempt-0', ...more });
    expect(other).toMatchObject({ Approved: false, ErrorCondition: 'NotAllowed', Message: 'OTHER_AMOUNT' });
    expect(await terminal.authorize(request)).toMatchObject({ Approved: true });
    expect(await kinds()).toEqual(['declined', 'authorized']);
    terminal.approve(request);
    expect((await paying).body.response).toMatchObject({ result: 'success' });
  },
);
