import { expect, test } from 'vitest';
import { languages } from '../../shared/emulator/screen.ts';
import { findPairValue } from '../../shared/nexo/pairs.ts';
import { emulatorHarness, poiId } from '../../test/emulator-harness.ts';
import { originalTransaction, transactionOf } from '../../test/scripted-gateway.ts';
import { naturalPacing } from '../index.ts';
import { conditionTexts } from '../screens/condition-texts.ts';
import { locales } from '../screens/locales.ts';

/** Tests that a terminal gives a payment's money back without the card (B476). */

type Harness = Awaited<ReturnType<typeof emulatorHarness>>;

const asked = ({ gateway }: Harness) =>
  gateway.of('AcquirerRequest').flatMap(({ body }) => (body.Type === 'Refund' ? [body] : []));
const takenBack = ({ gateway }: Harness) =>
  gateway.of('AcquirerRequest').flatMap(({ body }) => (body.Type === 'Reverse' ? [body] : []));
const said = ({ gateway }: Harness) =>
  gateway.reversals().map(({ Response }) => Response.ErrorCondition ?? Response.Result);
const screens = ({ runtime }: Harness) =>
  runtime.journal.since().flatMap(({ kind, data }) => (kind === 'terminal.screen' ? [data] : []));
const more = (harness: Harness, name: string) =>
  findPairValue(harness.gateway.reversals().at(-1)?.Response.AdditionalResponse ?? '', name);

test('a reversal asks the host to give the amount back, without a card, and is answered with receipts', async () => {
  const harness = await emulatorHarness();
  harness.gateway.reverse('1', { amount: 4.5 });
  await harness.settle();
  const [request] = asked(harness);
  expect(request).toEqual({
    Type: 'Refund',
    PaymentReference: transactionOf('1'),
    AttemptID: expect.any(String),
    Currency: 'EUR',
    Amount: 450,
  });
  expect(harness.gateway.reversals()).toMatchObject([
    {
      Response: { Result: 'Success' },
      SaleData: { SaleTransactionID: { TransactionID: transactionOf('1') }, SaleReferenceID: 'order-1' },
      POIData: {
        POITransactionID: { TransactionID: expect.stringMatching(/^V401\d{15}\.PSP0000000000001$/) },
        AttemptID: request?.AttemptID,
      },
      OriginalPOITransaction: { POITransactionID: originalTransaction },
      ReversedAmount: 4.5,
      PaymentAcquirerData: {
        MerchantID: 'MERCHANT',
        AcquirerPOIID: poiId,
        AcquirerTransactionID: { TransactionID: 'PSP0000000000001' },
        ApprovalCode: '123456',
      },
      PaymentReceipt: [
        { DocumentQualifier: 'CashierReceipt', RequiredSignatureFlag: false },
        { DocumentQualifier: 'CustomerReceipt', RequiredSignatureFlag: false },
      ],
    },
  ]);
  expect(harness.gateway.outcomes()).toEqual([]);
  expect(['transactionType', 'cardSummary', 'posAuthAmountValue'].map((name) => more(harness, name))).toEqual(
    ['REFUND', '1111', '450'],
  );
  expect(more(harness, 'posAmountGratuityValue')).toBeUndefined();
  expect(harness.terminal.receipts().map(({ transactionId }) => transactionId)).toEqual([
    transactionOf('1'),
    transactionOf('1'),
  ]);
  expect(harness.terminal.screen().state).toBe('idle');
});

test('the progress of a reversal goes to the display of the POS, and asks nobody for input', async () => {
  const harness = await emulatorHarness();
  harness.gateway.reverse('1');
  await harness.settle();
  const events = harness.gateway
    .of('DisplayRequest')
    .flatMap(({ body }) => body.DisplayOutput)
    .map(({ OutputContent }) => findPairValue(OutputContent.PredefinedContent.ReferenceID, 'event'));
  expect(events).toEqual(['TENDER_CREATED', 'TENDER_FINAL', 'PRINT_RECEIPT', 'RECEIPT_PRINTED']);
});

test.each(languages)(
  'the screen says in %s that money is given back, and how much (B476)',
  async (language) => {
    const harness = await emulatorHarness({ pacing: naturalPacing });
    await harness.clock.advance(naturalPacing.startMs);
    harness.gateway.host = () => undefined;
    harness.gateway.reverse('1', { reversal: { customerLanguage: language } });
    await harness.settle();
    const { givingBack } = locales[language];
    const shown = harness.terminal.screen();
    expect(shown).toMatchObject({ givesBack: 'reversal', title: givingBack.titles.authorizing, language });
    expect(shown).toMatchObject({ amount: expect.stringContaining('10'), entries: [], keys: ['power'] });
    expect(shown.lines[0]).toBe(givingBack.line);
    await harness.clock.advance(30_000);
    expect(harness.terminal.screen()).toMatchObject({
      givesBack: 'reversal',
      title: givingBack.titles.declined,
      lines: [conditionTexts.UnreachableHost[language]],
    });
    expect(screens(harness)).toContainEqual(
      expect.objectContaining({ state: 'declined', givesBack: 'reversal', amount: shown.amount }),
    );
  },
);

test('a reversal that the bank declines gives no money back', async () => {
  const harness = await emulatorHarness();
  const refusal = { RefusalReason: '214 Declined online', Message: 'DECLINED' };
  harness.gateway.host = () => ({ Approved: false, ErrorCondition: 'Refusal', ...refusal });
  harness.gateway.reverse('1');
  await harness.settle();
  expect(said(harness)).toEqual(['Refusal']);
  expect(more(harness, 'refusalReason')).toBe('214 Declined online');
  expect(harness.gateway.reversals()[0]?.ReversedAmount).toBeUndefined();
  expect(harness.gateway.reversals()[0]?.PaymentReceipt).toBeUndefined();
  expect(harness.terminal.receipts()).toEqual([]);
  expect(takenBack(harness)).toEqual([]);
});

test('if the host does not answer, the attempt is reversed, and a late approval changes nothing', async () => {
  const harness = await emulatorHarness();
  harness.gateway.host = () => undefined;
  harness.gateway.reverse('1');
  await harness.clock.advance(30_000);
  expect(said(harness)).toEqual(['UnreachableHost']);
  const [request] = asked(harness);
  expect(takenBack(harness)).toMatchObject([
    { PaymentReference: transactionOf('1'), AttemptID: request?.AttemptID, Reason: 'Timeout' },
  ]);
  const { header } = harness.gateway.of('AcquirerRequest')[0]!;
  harness.gateway.send('AcquirerResponse', header.ServiceID, {
    Type: 'Refund',
    PaymentReference: transactionOf('1'),
    AttemptID: request!.AttemptID,
    Approved: true,
    PspReference: 'LATE',
    AcquirerResponseCode: 'APPROVED',
  });
  await harness.settle();
  expect(said(harness)).toEqual(['UnreachableHost']);
  expect(harness.terminal.screen().state).toBe('idle');
});

test('a repeated ServiceID gets the former answer, and its request is executed only once', async () => {
  const harness = await emulatorHarness();
  harness.gateway.host = () => undefined;
  harness.gateway.reverse('1');
  await harness.settle();
  harness.gateway.host = () => ({});
  harness.gateway.reverse('1');
  await harness.settle();
  expect([asked(harness).length, said(harness)]).toEqual([1, []]);
  await harness.clock.advance(30_000);
  harness.gateway.reverse('1');
  await harness.settle();
  expect(said(harness)).toEqual(['UnreachableHost', 'UnreachableHost']);
  expect(harness.gateway.reversals()[1]).toEqual(harness.gateway.reversals()[0]);
  expect(asked(harness)).toHaveLength(1);
});

test('a status repeats the answer to a reversal', async () => {
  const harness = await emulatorHarness();
  const ask = async (serviceId: string, of: string) => {
    const MessageReference = { MessageCategory: 'Reversal', ServiceID: of };
    harness.gateway.send('TransactionStatusRequest', serviceId, { MessageReference });
    await harness.settle();
    return harness.gateway.of('TransactionStatusResponse').at(-1)?.body;
  };
  harness.gateway.host = () => undefined;
  harness.gateway.reverse('1');
  await harness.settle();
  expect((await ask('S1', '1'))?.Response.ErrorCondition).toBe('InProgress');
  await harness.clock.advance(30_000);
  const [ReversalResponse] = harness.gateway.reversals();
  expect((await ask('S2', '1'))?.RepeatedMessageResponse).toEqual({
    RepeatedResponseMessageBody: { ReversalResponse },
  });
  expect((await ask('S3', '9'))?.Response.ErrorCondition).toBe('NotFound');
});

test('an abort changes nothing, because the host was asked at once', async () => {
  const harness = await emulatorHarness();
  harness.gateway.host = () => undefined;
  harness.gateway.reverse('1');
  await harness.settle();
  let acknowledged = false;
  harness.gateway.send(
    'AbortRequest',
    'A1',
    { MessageReference: { MessageCategory: 'Reversal', ServiceID: '1' }, AbortReason: 'MerchantAbort' },
    () => {
      acknowledged = true;
    },
  );
  harness.press('cancel');
  await harness.settle();
  expect([acknowledged, harness.terminal.screen().state, said(harness)]).toEqual([true, 'authorizing', []]);
});

test('a terminal that gives back or takes money is busy, and names the ServiceID of its work', async () => {
  const harness = await emulatorHarness();
  harness.gateway.host = () => undefined;
  harness.gateway.reverse('1');
  await harness.settle();
  harness.gateway.pay('2');
  await harness.settle();
  const busy = harness.gateway.outcomes()[0]?.Response;
  expect(busy?.ErrorCondition).toBe('Busy');
  expect(findPairValue(busy?.AdditionalResponse ?? '', 'message')).toContain('ReversalRequest');
  await harness.clock.advance(30_000);
  harness.gateway.pay('3');
  await harness.settle();
  harness.gateway.reverse('4');
  await harness.settle();
  expect(said(harness)).toEqual(['UnreachableHost', 'Busy']);
  expect(more(harness, 'message')).toContain('PaymentRequest');
  expect(harness.gateway.reversals()[1]).toMatchObject({
    OriginalPOITransaction: { POITransactionID: originalTransaction },
  });
});

test('a card that was left in the slot delays nothing, and comes out afterwards (B476)', async () => {
  const harness = await emulatorHarness();
  harness.terminal.act({ action: 'insert', card: 'visa-credit' });
  harness.gateway.reverse('1');
  await harness.settle();
  expect([said(harness), harness.terminal.screen().state]).toEqual([['Success'], 'removeCard']);
  harness.terminal.remove();
  expect(harness.terminal.receipts()).toHaveLength(2);
});

test('a payment whose card is still in the slot can be given back, and its receipts are printed first (B476)', async () => {
  const harness = await emulatorHarness();
  harness.gateway.pay('1');
  await harness.settle();
  harness.terminal.act({ action: 'insert', card: 'no-pin' });
  await harness.settle();
  expect(harness.terminal.screen().state).toBe('removeCard');
  harness.gateway.reverse('2');
  await harness.settle();
  expect([said(harness), harness.terminal.screen().state]).toEqual([['Success'], 'removeCard']);
  expect(harness.terminal.receipts()).toHaveLength(2);
  harness.terminal.remove();
  expect(harness.terminal.receipts()).toHaveLength(4);
});

test('a card that is inserted meanwhile has to come out again before the receipts are printed', async () => {
  const harness = await emulatorHarness();
  harness.gateway.host = () => {
    harness.terminal.act({ action: 'insert', card: 'visa-credit' });
    return {};
  };
  harness.gateway.reverse('1');
  await harness.settle();
  expect([said(harness), harness.terminal.screen().state]).toEqual([['Success'], 'removeCard']);
  harness.terminal.remove();
  expect(harness.terminal.receipts()).toHaveLength(2);
});

test.each([
  ['SaleToPOIData that says nothing of it', { saleToPoiData: '{"receiptHeader":[],"merchantId":"M"}' }],
  ['no SaleToPOIData', { saleToPoiData: '' }],
  ['a currency that does not exist', { reversal: { currency: 'XXQ' } }],
])('%s is answered as messageFormat', async (_, changes) => {
  const harness = await emulatorHarness();
  harness.gateway.reverse('1', changes);
  await harness.settle();
  expect([said(harness), asked(harness)]).toEqual([['MessageFormat'], []]);
});

test('an Interac payment is not given back without its card, and the screen says why (B478)', async () => {
  const harness = await emulatorHarness({ pacing: naturalPacing });
  await harness.clock.advance(naturalPacing.startMs);
  const card = { brand: 'interac_card', maskedNumber: '660000 **** 1111' } as const;
  for (const [n, language] of languages.entries()) {
    harness.gateway.reverse(`${n}`, { reversal: { card, customerLanguage: language } });
    await harness.settle();
  }
  expect(said(harness)).toEqual(languages.map(() => 'NotAllowed'));
  expect([asked(harness), more(harness, 'refusalReason')]).toEqual([[], 'Refund needs the card']);
  const why = screens(harness).flatMap(({ state, lines }) => (state === 'declined' ? lines : []));
  expect(why).toEqual(languages.map((language) => locales[language].causes.cardNeeded));
});
