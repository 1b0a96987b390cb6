import { afterEach, describe, expect, test } from 'vitest';
import { temporaryDatabaseFile } from '../../../shared/database/temporary-file.fixture.ts';
import { amountToGiveBack } from '../../payments/amount-to-give-back.ts';
import { hour, ids, PaymentsHarness } from '../../payments/payments-harness.fixture.ts';
import { reversalAnswer, type TestTerminal } from '../../payments/test-terminal.fixture.ts';
import { Till } from './till.fixture.ts';

let harness: PaymentsHarness;
afterEach(() => harness.stop());

async function start(options: Parameters<typeof PaymentsHarness.start>[0] = {}) {
  harness = await PaymentsHarness.start({ adyen: true, ...options });
  const other = await harness.terminal('V400m-2').connect();
  return {
    till: new Till(harness),
    terminal: await harness.terminal().connect(),
    other,
    otherTill: new Till(harness, harness.token, 'V400m-2'),
  };
}

/** A payment of 25.00; gives the host's reference of it. */
async function paid(till: Till, terminal: TestTerminal, ServiceID = '1', amount = 25): Promise<string> {
  const reply = till.pay(ServiceID, amount);
  const request = await terminal.next('PaymentRequest');
  const { PspReference } = await terminal.authorize(request);
  terminal.approve(request);
  await reply;
  return PspReference;
}

const reversal = ({ body }: { body: { SaleToPOIResponse: { ReversalResponse: Reversal } } }) =>
  body.SaleToPOIResponse.ReversalResponse;

interface Reversal {
  Response: { Result: string; ErrorCondition?: string; AdditionalResponse?: string };
  ReversedAmount?: number;
}

const messageIn = ({ Response }: Reversal) => new URLSearchParams(Response.AdditionalResponse).get('message');

test('a terminal gets a ReversalRequest of its payment, and the till its answer (B490)', async () => {
  const { till, terminal } = await start();
  const reference = await paid(till, terminal);
  const reply = till.reverse('2', reference);
  const request = await terminal.giveBack();
  expect(request.header).toMatchObject({ MessageCategory: 'Reversal' });
  const { SaleData, ...asked } = request.body;
  expect(asked).toMatchObject({
    OriginalPOITransaction: { POITransactionID: { TransactionID: expect.stringMatching(/^T\./) } },
    ReversalReason: 'MerchantCancel',
    ReversedAmount: 25,
  });
  expect(JSON.parse(SaleData.SaleToPOIData ?? '').reversal).toEqual({
    currency: 'EUR',
    original: expect.any(String),
    card: { brand: 'visa', maskedNumber: '476173 **** 0119', entryMode: 'ICC' },
  });
  expect(reversal(await reply)).toMatchObject({
    Response: { Result: 'Success' },
    OriginalPOITransaction: { POITransactionID: { TransactionID: reference } },
    ReversedAmount: 25,
    PaymentReceipt: [],
  });
  expect(await harness.booksAgree()).toMatchObject({ agree: true, concluded: 2 });
});

describe('what cannot be given back has its own reason, and reaches no terminal (B491)', () => {
  test('what is no payment of the account, or is named by another reference', async () => {
    const { till, terminal } = await start();
    await paid(till, terminal);
    const found = await Promise.all([
      till.reverse('2', 'AAAAAAAAAAAAAAAA'),
      till.reverse('3', 'BBBB.AAAAAAAAAAAAAAAA'),
    ]);
    for (const reply of found)
      expect(reversal(reply).Response).toMatchObject({ Result: 'Failure', ErrorCondition: 'NotFound' });
    await harness.services.accounts.createAccount({ id: 'b', name: 'B', currency: 'EUR', merchantId: 'B' });
    await harness.tamper((db) => db.updateTable('payments').set({ account_id: 'b' }).execute());
    const [{ psp_reference }] = (await harness.services.store.read((db) =>
      db.selectFrom('ledger').select('psp_reference').where('kind', '=', 'authorized').execute(),
    )) as [{ psp_reference: string }];
    expect(reversal(await till.reverse('4', psp_reference)).Response.ErrorCondition).toBe('NotFound');
    expect(terminal.received).toEqual([]);
  });

  test('one whose terminal calls it otherwise than the till says', async () => {
    const { till, terminal } = await start();
    const reference = await paid(till, terminal);
    expect(reversal(await till.reverse('2', `OTHER.${reference}`)).Response.ErrorCondition).toBe('NotFound');
  });

  test('a failed one, an open one, and what is itself a reversal', async () => {
    const { till, terminal, other, otherTill } = await start();
    const open = otherTill.pay('1', 5);
    const request = await other.next('PaymentRequest');
    const { PspReference: openReference } = await other.authorize(request);
    const stillOpen = reversal(await till.reverse('2', openReference));
    expect(messageIn(stillOpen)).toMatch(/still open/);
    await other.reverse(request);
    other.refuse(request, 'Cancel');
    await open;
    const failed = reversal(await till.reverse('3', openReference));
    expect(messageIn(failed)).toMatch(/failed/);
    for (const { Response } of [stillOpen, failed]) expect(Response.ErrorCondition).toBe('NotAllowed');

    const reference = await paid(till, terminal, '4');
    const reply = till.reverse('5', reference);
    const asked = await terminal.next('ReversalRequest');
    const { PspReference: givenBack } = await terminal.refund(asked);
    terminal.answerReversal(asked);
    await reply;
    expect(reversal(await till.reverse('6', givenBack)).Response.ErrorCondition).toBe('NotFound');
  });

  test.each([
    [{ amount: 25.01 }, 'NotAllowed', 'The amount is above what is left of the payment: 25.00 EUR'],
    [{ amount: 0 }, 'MessageFormat', /ReversedAmount/],
    [{ amount: 1.001 }, 'MessageFormat', /ReversedAmount/],
    [
      { sale: { SaleToAcquirerData: 'currency=USD' } },
      'NotAllowed',
      'The payment was made in EUR, not in USD',
    ],
  ] as const)('%o', async (more, condition, message) => {
    const { till, terminal } = await start();
    const reference = await paid(till, terminal);
    const refused = reversal(await till.reverse('2', reference, more));
    expect(refused.Response).toMatchObject({ Result: 'Failure', ErrorCondition: condition });
    expect(messageIn(refused)).toMatch(message);
    expect(terminal.received).toEqual([]);
  });

  test('all of it given back, by reversals that succeeded or go on', async () => {
    const { till, terminal, otherTill } = await start();
    const reference = await paid(till, terminal);
    const part = till.reverse('2', reference, { amount: 20 });
    const asked = await terminal.next('ReversalRequest');
    expect(messageIn(reversal(await otherTill.reverse('3', reference, { amount: 10 })))).toMatch('5.00 EUR');
    await terminal.refund(asked);
    terminal.answerReversal(asked);
    expect(reversal(await part).ReversedAmount).toBe(20);
    const rest = till.reverse('4', reference);
    await terminal.giveBack();
    expect(reversal(await rest).ReversedAmount).toBe(5);
    const nothing = reversal(await till.reverse('5', reference));
    expect(messageIn(nothing)).toBe('The whole payment was given back already');
  });
});

test('what fails counts no more: it can be given back again (B492)', async () => {
  const { till, terminal } = await start();
  const reference = await paid(till, terminal);
  const refused = till.reverse('2', reference);
  const first = await terminal.next('ReversalRequest');
  await terminal.refund(first);
  terminal.answerReversal(first, 'UnreachableHost');
  expect(reversal(await refused).Response.ErrorCondition).toBe('UnreachableHost');
  expect(harness.journal('ledger.returned')).toHaveLength(1);
  expect(await harness.booksAgree()).toMatchObject({ agree: true });
  const again = till.reverse('3', reference);
  await terminal.giveBack();
  expect(reversal(await again).Response.Result).toBe('Success');
  expect(await harness.booksAgree()).toMatchObject({ agree: true, concluded: 3 });
});

test('a terminal that says it gave back what no host did is not believed (B492)', async () => {
  const { till, terminal } = await start();
  const reference = await paid(till, terminal);
  const reply = till.reverse('2', reference);
  terminal.answerReversal(await terminal.next('ReversalRequest'));
  expect(reversal(await reply).Response.ErrorCondition).toBe('UnavailableService');
  expect(await harness.booksAgree()).toMatchObject({ agree: true });
});

test('the host gives back the amount that was asked for, and takes none with a reversal (B492)', async () => {
  const { till, terminal } = await start();
  const reference = await paid(till, terminal);
  const reply = till.reverse('2', reference, { amount: 10 });
  const asked = await terminal.next('ReversalRequest');
  const more = await terminal.refund(asked, { Amount: 1001 });
  const other = await terminal.refund(asked, { Currency: 'USD', AttemptID: 'other' });
  for (const { Approved, Message } of [more, other])
    expect({ Approved, Message }).toEqual({ Approved: false, Message: 'OTHER_AMOUNT' });
  terminal.send('AcquirerRequest', asked.header.ServiceID, {
    Type: 'Authorize',
    PaymentReference: asked.body.SaleData.SaleTransactionID.TransactionID,
    AttemptID: 'third',
    Currency: 'EUR',
    RequestedAmount: 1000,
    TotalAmount: 1000,
    Card: { Brand: 'visa', MaskedPan: '476173 **** 0119', EntryMode: 'ICC' },
  });
  expect((await terminal.next('AcquirerResponse')).body).toMatchObject({ Message: 'OTHER_KIND' });
  terminal.answerReversal(asked, 'Refusal');
  await reply;
  expect(await harness.booksAgree()).toMatchObject({ agree: true });
});

test.each([
  [{ first: undefined, second: undefined }, 'alreadyGivenBack', 2500],
  [{ first: 1500, second: 1500 }, 'amountExceedsRest', 1500],
])('what was left when two began, %o, is given back once (B490)', async (asked, refused, counted) => {
  const { till, terminal } = await start();
  const pspReference = await paid(till, terminal);
  // Both read what is left before either is on disk: nothing but the database keeps them apart.
  const asking = [
    [ids.terminal, asked.first],
    [ids.other, asked.second],
  ] as const;
  const results = await Promise.allSettled(
    asking.map(([terminalId, amount]) =>
      harness.services.payments.accept(
        {
          kind: 'reversal',
          reverses: { pspReference },
          caller: { accountId: ids.account, environment: 'sandbox', tokenId: '' },
          terminalId,
          requestId: 'r',
          unknownFields: [],
          key: undefined,
          read: (_, original) => ({
            original,
            amount: amountToGiveBack(original, { amount, currency: undefined }),
            currency: 'EUR',
            tips: undefined,
            conditions: undefined,
            saleReference: undefined,
          }),
        },
        { arrivedAt: harness.clock.monotonic(), signal: new AbortController().signal, park: () => () => {} },
      ),
    ),
  );
  expect(results).toMatchObject([{ status: 'fulfilled' }, { reason: { code: refused } }]);
  const rows = await harness.services.store.read((db) => db.selectFrom('given_back').selectAll().execute());
  expect(rows).toEqual([{ original_id: expect.any(String), amount: counted }]);
});

test('a terminal that gives money back is busy, and a lost one has it taken back (B493)', async () => {
  const { till, terminal } = await start();
  const reference = await paid(till, terminal);
  const reply = till.reverse('2', reference);
  const asked = await terminal.next('ReversalRequest');
  await terminal.refund(asked);
  const busy = (await till.pay('3', 5)).body.SaleToPOIResponse.PaymentResponse.Response;
  expect(busy).toMatchObject({ ErrorCondition: 'Busy' });
  expect(new URLSearchParams(busy.AdditionalResponse).get('serviceId')).toBe('2');
  expect((await till.status('2')).body.SaleToPOIResponse.TransactionStatusResponse.Response).toMatchObject({
    ErrorCondition: 'InProgress',
  });
  terminal.link?.close();
  await harness.seen('payment.lost');
  await harness.clock.advance(hour);
  await reply;
  const status = (await till.status('2')).body.SaleToPOIResponse.TransactionStatusResponse;
  expect(status.RepeatedMessageResponse.RepeatedResponseMessageBody.ReversalResponse.Response).toMatchObject({
    ErrorCondition: 'DeviceOut',
  });
  expect(harness.journal('ledger.returned')).toHaveLength(1);
  expect(await harness.booksAgree()).toMatchObject({ agree: true, open: 0 });
});

test('a reversal goes on after a restart: the terminal repeats its answer (B493)', async () => {
  const file = temporaryDatabaseFile();
  const { till, terminal } = await start({ file });
  const reference = await paid(till, terminal);
  void till.reverse('2', reference).catch(() => {});
  const asked = await terminal.next('ReversalRequest');
  await terminal.refund(asked);
  await harness.settle();
  await harness.stop();
  harness = await PaymentsHarness.start({ adyen: true, file, runtime: harness.runtime });
  const back = await harness.terminal().connect();
  const question = await back.next('TransactionStatusRequest');
  expect(question.body.MessageReference.MessageCategory).toBe('Reversal');
  back.answerStatus(question, { reversal: reversalAnswer(asked.body) });
  await harness.seen('payment.concluded');
  const repeated = reversal(await new Till(harness).reverse('2', reference));
  expect(repeated).toMatchObject({ Response: { Result: 'Success' }, ReversedAmount: 25 });
  expect(await harness.booksAgree()).toMatchObject({ agree: true, concluded: 2 });
});

test('the payments API knows payments alone (B494)', async () => {
  const { till, terminal } = await start();
  const reference = await paid(till, terminal);
  const reply = till.reverse('2', reference);
  const asked = await terminal.next('ReversalRequest');
  const id = asked.body.SaleData.SaleTransactionID.TransactionID;
  const unknown = { status: 404, body: { error: 'notFound' } };
  expect(await harness.status(id)).toMatchObject(unknown);
  expect(
    await harness.call('POST', `/payment-requests/abort`, { body: { transactionId: id } }),
  ).toMatchObject(unknown);
  const latest = await harness.call('GET', `/terminals/${ids.terminal}/payment-requests/latest/status`);
  expect(latest.body.identifier).not.toBe(id);
  await terminal.refund(asked);
  terminal.answerReversal(asked);
  await reply;
  expect(await harness.status(id)).toMatchObject(unknown);
});

describe('books that differ say so (B495)', () => {
  async function reversed() {
    const { till, terminal } = await start();
    const reference = await paid(till, terminal);
    const reply = till.reverse('2', reference, { amount: 10 });
    await terminal.giveBack();
    await reply;
    expect(await harness.booksAgree()).toMatchObject({ agree: true });
  }

  test('a reversal without its entry', async () => {
    await reversed();
    await harness.tamper((db) => db.deleteFrom('ledger').where('kind', '=', 'refunded').execute());
    expect(await harness.booksAgree()).toMatchObject({
      agree: false,
      disagreements: [{ reported: 'success', reportedAmount: 1000, movedAmount: 0 }],
    });
  });

  test.each(['refunded', 'returned'] as const)('an entry without its reversal: %s', async (kind) => {
    await reversed();
    await harness.tamper(async (db) => {
      const entry = await db.selectFrom('ledger').selectAll().where('kind', '=', 'refunded').execute();
      const row = { ...entry[0], id: 'planted', payment_id: 'nobody', kind } as never;
      await db.insertInto('ledger').values(row).execute();
    });
    expect(await harness.booksAgree()).toMatchObject({
      agree: false,
      disagreements: [{ paymentId: 'nobody', movedAmount: 1000 }],
    });
  });

  test.each([
    [900, 'less than the reversals give'],
    [2600, 'more than was taken'],
  ])('%i is counted as given back: %s', async (amount) => {
    await reversed();
    await harness.tamper((db) => db.updateTable('given_back').set({ amount }).execute());
    expect(await harness.booksAgree()).toMatchObject({
      agree: false,
      givenBack: [{ taken: 2500, counted: amount, reversed: 1000 }],
    });
  });
});
