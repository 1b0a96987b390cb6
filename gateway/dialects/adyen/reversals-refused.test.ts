import { afterEach, describe, expect, test } from 'vitest';
import { hostOutcomeSchema } from '../../acquirer/schemas.ts';
import { PaymentsHarness, testIds } from '../../payments/payments-harness.fixture.ts';
import { makeApprovedPayment, readResponseMessage, readReversalResponse, Till } from './till.fixture.ts';

let harness: PaymentsHarness;
afterEach(() => harness.stop());

async function start() {
  harness = await PaymentsHarness.start({ adyen: true });
  const other = await harness.terminal('V400m-2').connect();
  return {
    till: new Till(harness),
    terminal: await harness.terminal().connect(),
    other,
    otherTill: new Till(harness, harness.token, 'V400m-2'),
  };
}

describe('a request to give back the impossible gets a specific reason, and reaches no terminal (B491)', () => {
  test('a reference to no payment of the account, or to one with another reference', async () => {
    const { till, terminal } = await start();
    await makeApprovedPayment(till, terminal);
    const found = await Promise.all([
      till.reverse('2', 'AAAAAAAAAAAAAAAA'),
      till.reverse('3', 'BBBB.AAAAAAAAAAAAAAAA'),
    ]);
    for (const reply of found)
      expect(readReversalResponse(reply).Response).toMatchObject({
        Result: 'Failure',
        ErrorCondition: 'NotFound',
      });
    await harness.services.accounts.createAccount({ id: 'b', name: 'B', currency: 'EUR', merchantId: 'B' });
    await harness.tamper((db) => db.updateTable('payments').set({ account_id: 'b' }).execute());
    const [{ psp_reference }] = (await harness.services.store.read((db) =>
      db.selectFrom('ledger').select('psp_reference').where('kind', '=', 'authorized').execute(),
    )) as [{ psp_reference: string }];
    expect(readReversalResponse(await till.reverse('4', psp_reference)).Response.ErrorCondition).toBe(
      'NotFound',
    );
    expect(terminal.received).toEqual([]);
  });

  test('a payment that the terminal names differently from the till', async () => {
    const { till, terminal } = await start();
    const reference = await makeApprovedPayment(till, terminal);
    expect(readReversalResponse(await till.reverse('2', `OTHER.${reference}`)).Response.ErrorCondition).toBe(
      'NotFound',
    );
  });

  test('a failed payment, an open payment, and a reversal', async () => {
    const { till, terminal, other, otherTill } = await start();
    const open = otherTill.pay('1', 5);
    const request = await other.next('PaymentRequest');
    const { PspReference: openReference } = await other.authorize(request);
    const stillOpen = readReversalResponse(await till.reverse('2', openReference));
    expect(readResponseMessage(stillOpen)).toMatch(/still open/);
    await other.reverse(request);
    other.refuse(request, 'Cancel');
    await open;
    const failed = readReversalResponse(await till.reverse('3', openReference));
    expect(readResponseMessage(failed)).toMatch(/failed/);
    for (const { Response } of [stillOpen, failed]) expect(Response.ErrorCondition).toBe('NotAllowed');

    const reference = await makeApprovedPayment(till, terminal, '4');
    const reply = till.reverse('5', reference);
    const asked = await terminal.next('ReversalRequest');
    const { PspReference: givenBack } = await terminal.refund(asked);
    terminal.answerReversal(asked);
    await reply;
    const refused = readReversalResponse(await till.reverse('6', givenBack));
    expect(refused.Response.ErrorCondition).toBe('NotAllowed');
    expect(readResponseMessage(refused)).toMatch(/^This is a reversal or refund/);
  });

  test('a payment that the host declined, and a refund to a card', async () => {
    const { till, terminal } = await start();
    await harness.services.acquirer.outcomes.set({
      scope: 'terminal',
      subject: testIds.terminal,
      mode: 'once',
      outcome: hostOutcomeSchema.parse({ type: 'decline' }),
    });
    const reply = till.pay('1', 25);
    const request = await terminal.next('PaymentRequest');
    const { PspReference: declined } = await terminal.authorize(request);
    terminal.refuse(request, 'Refusal');
    await reply;
    expect(readResponseMessage(readReversalResponse(await till.reverse('2', declined)))).toMatch(/failed/);
    const refund = till.pay('3', 25, { payment: { PaymentData: { PaymentType: 'Refund' } } });
    const asked = await terminal.next('PaymentRequest');
    terminal.send('AcquirerRequest', asked.header.ServiceID, {
      Type: 'Refund',
      PaymentReference: asked.body.SaleData.SaleTransactionID.TransactionID,
      AttemptID: 'first',
      Currency: 'EUR',
      Amount: 2500,
    });
    const { PspReference: refunded } = (await terminal.next('AcquirerResponse')).body as {
      PspReference: string;
    };
    terminal.refuse(asked, 'Cancel');
    await refund;
    expect(readResponseMessage(readReversalResponse(await till.reverse('4', refunded)))).toMatch(
      /^This is a reversal or refund/,
    );
  });

  test.each([
    [
      { amount: 25.01 },
      'NotAllowed',
      'The amount is larger than the amount that can still be given back: 25.00 EUR',
    ],
    [{ amount: 0 }, 'MessageFormat', /ReversedAmount/],
    [{ amount: 1.001 }, 'MessageFormat', /ReversedAmount/],
    [
      { sale: { SaleToAcquirerData: 'currency=USD' } },
      'NotAllowed',
      'The payment was made in EUR, not in USD',
    ],
    [{ sale: { SaleToAcquirerData: { currency: '4111 1111 1111 1111' } } }, 'MessageFormat', /^currency /],
    [{ sale: { SaleToAcquirerData: { currency: ['USD'] } } }, 'MessageFormat', /^currency /],
  ] as const)('%o', async (more, condition, message) => {
    const { till, terminal } = await start();
    const reference = await makeApprovedPayment(till, terminal);
    const refused = readReversalResponse(await till.reverse('2', reference, more));
    expect(refused.Response).toMatchObject({ Result: 'Failure', ErrorCondition: condition });
    expect(readResponseMessage(refused)).toMatch(message);
    expect(terminal.received).toEqual([]);
  });

  test.each(['4111111111111111', '2026-01-01T00:00:00Z 4111111111111111', 'yesterday'])(
    'an invalid time stamp of the payment: %s',
    async (at) => {
      const { till, terminal } = await start();
      const refused = readReversalResponse(
        await till.reverse('2', await makeApprovedPayment(till, terminal), { at }),
      );
      expect(refused.Response.ErrorCondition).toBe('MessageFormat');
      expect(new URLSearchParams(refused.Response.AdditionalResponse).get('errors')).toBe(
        'ReversalRequest.OriginalPOITransaction.POITransactionID.TimeStamp: must be a date and time',
      );
      expect(terminal.received).toEqual([]);
    },
  );

  test('a payment that was given back completely, by reversals that succeeded or are under way', async () => {
    const { till, terminal, otherTill } = await start();
    const reference = await makeApprovedPayment(till, terminal);
    const part = till.reverse('2', reference, { amount: 20 });
    const asked = await terminal.next('ReversalRequest');
    expect(
      readResponseMessage(readReversalResponse(await otherTill.reverse('3', reference, { amount: 10 }))),
    ).toMatch('5.00 EUR');
    await terminal.refund(asked);
    terminal.answerReversal(asked);
    expect(readReversalResponse(await part).ReversedAmount).toBe(20);
    const rest = till.reverse('4', reference);
    await terminal.giveBack();
    expect(readReversalResponse(await rest).ReversedAmount).toBe(5);
    const nothing = readReversalResponse(await till.reverse('5', reference));
    expect(readResponseMessage(nothing)).toBe('The whole payment was given back already');
  });
});
