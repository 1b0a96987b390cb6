import { sql } from 'kysely';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { temporaryDatabaseFile } from '../../../shared/database/temporary-file.fixture.ts';
import { closeCodes, LinkProtocolError } from '../../../shared/transport/link.ts';
import { amountToGiveBack } from '../../payments/amount-to-give-back.ts';
import { hour, PaymentsHarness, testIds } from '../../payments/payments-harness.fixture.ts';
import { makeReversalAnswer } from '../../payments/test-terminal.fixture.ts';
import { makeApprovedPayment, readResponseMessage, readReversalResponse, Till } from './till.fixture.ts';

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

test('a terminal gets a ReversalRequest of its payment, and the till its answer (B490)', async () => {
  const { till, terminal } = await start();
  const reference = await makeApprovedPayment(till, terminal);
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
  expect(readReversalResponse(await reply)).toMatchObject({
    Response: { Result: 'Success' },
    OriginalPOITransaction: { POITransactionID: { TransactionID: reference } },
    ReversedAmount: 25,
    PaymentReceipt: [],
  });
  expect(await harness.booksAgree()).toMatchObject({ agree: true, concluded: 2 });
});

test.each(['2026-01-01T10:00:00+01:00', '2026-01-01 09:00', '2026-01-01'])(
  'a payment is found by any form of its time stamp: %s (B491)',
  async (at) => {
    const { till, terminal } = await start();
    const reply = till.reverse('2', await makeApprovedPayment(till, terminal), { at });
    await terminal.giveBack();
    expect(readReversalResponse(await reply).Response.Result).toBe('Success');
  },
);

test('a failed reversal does not count: its amount can be given back again (B492)', async () => {
  const { till, terminal } = await start();
  const reference = await makeApprovedPayment(till, terminal);
  const refused = till.reverse('2', reference);
  const first = await terminal.next('ReversalRequest');
  await terminal.refund(first);
  terminal.answerReversal(first, 'UnreachableHost');
  expect(readReversalResponse(await refused).Response.ErrorCondition).toBe('UnreachableHost');
  expect(harness.journal('ledger.returned')).toHaveLength(1);
  expect(await harness.booksAgree()).toMatchObject({ agree: true });
  const again = till.reverse('3', reference);
  await terminal.giveBack();
  expect(readReversalResponse(await again).Response.Result).toBe('Success');
  expect(await harness.booksAgree()).toMatchObject({ agree: true, concluded: 3 });
});

test('a terminal is not believed if it claims to have given back what the host did not (B492)', async () => {
  const { till, terminal } = await start();
  const reference = await makeApprovedPayment(till, terminal);
  const reply = till.reverse('2', reference);
  terminal.answerReversal(await terminal.next('ReversalRequest'));
  expect(readReversalResponse(await reply).Response.ErrorCondition).toBe('UnavailableService');
  expect(await harness.booksAgree()).toMatchObject({ agree: true });
});

test('the host gives back the requested amount, and authorizes nothing during a reversal (B492)', async () => {
  const { till, terminal } = await start();
  const reference = await makeApprovedPayment(till, terminal);
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

/** Accepts a reversal in the same way as Adyen's Terminal API. Each try to accept the reversal calls `read`. */
function accepting(
  pspReference: string,
  { terminalId, amount, read }: { terminalId: string; amount: number | undefined; read?: () => void },
) {
  return harness.services.payments.accept(
    {
      kind: 'reversal',
      reverses: { pspReference },
      caller: { accountId: testIds.account, environment: 'sandbox', tokenId: '' },
      terminalId,
      requestId: 'r',
      unknownFields: [],
      key: undefined,
      read: (_, original) => {
        read?.();
        return {
          original,
          amount: amountToGiveBack(original, { amount, currency: undefined }),
          currency: 'EUR',
          tips: undefined,
          conditions: undefined,
          saleReference: undefined,
        };
      },
    },
    { arrivedAt: harness.clock.monotonic(), signal: new AbortController().signal, park: () => () => {} },
  );
}

test('a reversal that cannot be stored is not retried as if another gateway had been quicker (B68)', async () => {
  const { till, terminal } = await start();
  const pspReference = await makeApprovedPayment(till, terminal);
  await harness.tamper((db) =>
    sql`create temp trigger failing before insert on payments begin select raise(abort, 'no room'); end`.execute(
      db,
    ),
  );
  const read = vi.fn();
  await expect(accepting(pspReference, { terminalId: testIds.terminal, amount: 5, read })).rejects.toThrow(
    'no room',
  );
  expect(read).toHaveBeenCalledOnce();
});

test('a reversal that others overtake again and again is refused in the end, and may be repeated (B490)', async () => {
  const { till, terminal } = await start();
  const pspReference = await makeApprovedPayment(till, terminal);
  // The trigger simulates another reversal that is always faster. When the gateway reads the sum, no money has been
  // given back yet. When the gateway then stores this reversal, all money has already been given back.
  await harness.tamper((db) =>
    sql`create temp trigger failing before insert on given_back begin select raise(ignore); end`.execute(db),
  );
  await expect(accepting(pspReference, { terminalId: testIds.terminal, amount: 5 })).rejects.toMatchObject({
    code: 'unavailable',
    headers: { 'Retry-After': '1' },
  });
  expect(await harness.booksAgree()).toMatchObject({ agree: true, open: 0 });
});

test.each([
  [{ first: undefined, second: undefined }, 'alreadyGivenBack', 2500],
  [{ first: 1500, second: 1500 }, 'amountExceedsRest', 1500],
])(
  'the rest at the time when two reversals began, %o, is given back once (B490)',
  async (asked, refused, counted) => {
    const { till, terminal } = await start();
    const pspReference = await makeApprovedPayment(till, terminal);
    // Both requests read the remaining amount before either request is on disk. So only the database can refuse the
    // second request.
    const asking = [
      [testIds.terminal, asked.first],
      [testIds.other, asked.second],
    ] as const;
    const results = await Promise.allSettled(
      asking.map(([terminalId, amount]) => accepting(pspReference, { terminalId, amount })),
    );
    expect(results).toMatchObject([{ status: 'fulfilled' }, { reason: { code: refused } }]);
    const rows = await harness.services.store.read((db) => db.selectFrom('given_back').selectAll().execute());
    expect(rows).toEqual([{ original_id: expect.any(String), amount: counted }]);
  },
);

test("a terminal is busy while it gives money back, and a lost terminal's reversal is undone (B493)", async () => {
  const { till, terminal } = await start();
  const reference = await makeApprovedPayment(till, terminal);
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

test('a reversal ends if its terminal cannot read it, and is waited for once its terminal accepted it (B493)', async () => {
  const { till, terminal } = await start();
  const reference = await makeApprovedPayment(till, terminal);
  const unread = ({ kind }: { kind: string }) => {
    if (kind === 'ReversalRequest')
      throw new LinkProtocolError(closeCodes.badMessage, 'unknown message body');
  };
  terminal.fault = unread;
  const { Response } = readReversalResponse(await till.reverse('2', reference));
  expect(Response.ErrorCondition).toBe('UnavailableService');
  expect(readResponseMessage({ Response })).toMatch('its software is an older release');
  terminal.fault = () => {};
  await terminal.connect();

  const reply = till.reverse('3', reference);
  const asked = await terminal.next('ReversalRequest');
  await terminal.refund(asked);
  terminal.link?.close(closeCodes.badMessage, 'unknown message body');
  await harness.seen('payment.lost');
  await terminal.connect();
  const question = await terminal.next('TransactionStatusRequest');
  terminal.answerStatus(question, { reversal: makeReversalAnswer(asked.body) });
  expect(readReversalResponse(await reply).Response.Result).toBe('Success');
  expect(await harness.booksAgree()).toMatchObject({ agree: true, concluded: 3 });
});

test.each([-24 * hour, 24 * hour])(
  'a wall clock that is set by %d ms does not affect a reversal (B122)',
  async (byMs) => {
    const { till, terminal } = await start();
    const reference = await makeApprovedPayment(till, terminal);
    harness.clock.setWallClock(byMs);
    const reply = till.reverse('2', reference, { amount: 10 });
    const asked = await terminal.next('ReversalRequest');
    harness.clock.setWallClock(byMs);
    await terminal.refund(asked);
    terminal.answerReversal(asked);
    const { text } = await reply;
    expect(text).toContain('"Success"');
    harness.clock.setWallClock(-byMs);
    expect((await till.reverse('2', reference, { amount: 10 })).text).toBe(text);
    expect(await harness.booksAgree()).toMatchObject({ agree: true, concluded: 2, open: 0 });
  },
);

test('a reversal continues after a restart: the terminal repeats its answer (B493)', async () => {
  const file = temporaryDatabaseFile();
  const { till, terminal } = await start({ file });
  const reference = await makeApprovedPayment(till, terminal);
  void till.reverse('2', reference).catch(() => {});
  const asked = await terminal.next('ReversalRequest');
  await terminal.refund(asked);
  await harness.settle();
  await harness.stop();
  harness = await PaymentsHarness.start({ adyen: true, file, runtime: harness.runtime });
  const back = await harness.terminal().connect();
  const question = await back.next('TransactionStatusRequest');
  expect(question.body.MessageReference.MessageCategory).toBe('Reversal');
  back.answerStatus(question, { reversal: makeReversalAnswer(asked.body) });
  await harness.seen('payment.concluded');
  const repeated = readReversalResponse(await new Till(harness).reverse('2', reference));
  expect(repeated).toMatchObject({ Response: { Result: 'Success' }, ReversedAmount: 25 });
  expect(await harness.booksAgree()).toMatchObject({ agree: true, concluded: 2 });
});

test('the payments API lists only payments (B494)', async () => {
  const { till, terminal } = await start();
  const reference = await makeApprovedPayment(till, terminal);
  const reply = till.reverse('2', reference);
  const asked = await terminal.next('ReversalRequest');
  const id = asked.body.SaleData.SaleTransactionID.TransactionID;
  const unknown = { status: 404, body: { error: 'notFound' } };
  expect(await harness.status(id)).toMatchObject(unknown);
  expect(
    await harness.call('POST', `/payment-requests/abort`, { body: { transactionId: id } }),
  ).toMatchObject(unknown);
  const latest = await harness.call('GET', `/terminals/${testIds.terminal}/payment-requests/latest/status`);
  expect(latest.body.identifier).not.toBe(id);
  await terminal.refund(asked);
  terminal.answerReversal(asked);
  await reply;
  expect(await harness.status(id)).toMatchObject(unknown);
});

describe('books that differ are reported (B495)', () => {
  async function reversed() {
    const { till, terminal } = await start();
    const reference = await makeApprovedPayment(till, terminal);
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
  ])('%i counts as given back: %s', async (amount) => {
    await reversed();
    await harness.tamper((db) => db.updateTable('given_back').set({ amount }).execute());
    expect(await harness.booksAgree()).toMatchObject({
      agree: false,
      givenBack: [{ taken: 2500, counted: amount, reversed: 1000 }],
    });
  });
});
