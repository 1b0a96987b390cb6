import { expect, test } from 'vitest';
import { emulatorHarness, poiId } from '../../test/emulator-harness.ts';
import { transactionOf } from '../../test/scripted-gateway.ts';

test('a chip payment is answered with its result, receipts and references before the card is out', async () => {
  const { gateway, terminal, settle } = await emulatorHarness();
  gateway.pay('1', { amount: 12.3 });
  await settle();
  expect(terminal.screen()).toMatchObject({ state: 'presentCard', amount: '€12.30' });
  expect(terminal.act({ action: 'insert', card: 'no-pin' })).toBeUndefined();
  await settle();
  expect(terminal.screen()).toMatchObject({ state: 'removeCard', card: { id: 'no-pin' } });
  const [outcome] = gateway.outcomes();
  expect(outcome).toMatchObject({
    Response: { Result: 'Success' },
    SaleData: { SaleTransactionID: { TransactionID: transactionOf('1') }, SaleReferenceID: 'order-1' },
    PaymentResult: {
      AmountsResp: { Currency: 'EUR', AuthorizedAmount: 12.3 },
      PaymentAcquirerData: { MerchantID: 'MERCHANT', ApprovalCode: '123456' },
    },
    PaymentReceipt: [{ DocumentQualifier: 'CashierReceipt' }, { DocumentQualifier: 'CustomerReceipt' }],
  });
  expect(outcome?.POIData.POITransactionID.TransactionID).toMatch(/^V401\d{15}\.PSP0000000000001$/);
  expect(terminal.receipts()).toEqual([]);
  terminal.act({ action: 'remove' });
  expect(terminal.receipts().map(({ copy }) => copy)).toEqual(['cashierReceipt', 'customerReceipt']);
  expect(terminal.screen().state).toBe('idle');
});

test.each([
  ['half a surrogate pair', 'cut \ud83d', 'cut ?'],
  ['an escape sequence', '\u001b[2J', '?[2J'],
])('a payment whose texts have %s is approved, and printed with ?', async (_, given, printed) => {
  const { gateway, terminal, settle } = await emulatorHarness();
  gateway.pay('1', { saleReference: given, data: { receiptHeader: [`Shop ${given}`, 'Street 1'] } });
  await settle();
  terminal.act({ action: 'tap', card: 'visa-credit' });
  await settle();
  expect(gateway.outcomes()).toMatchObject([
    { Response: { Result: 'Success' }, SaleData: { SaleReferenceID: given } },
  ]);
  expect(gateway.of('AcquirerRequest')).toHaveLength(1);
  for (const { lines } of terminal.receipts()) {
    const text = lines.map((line) => line.text).join('\n');
    expect(text).toContain(`Shop ${printed}`);
    expect(text).toContain(` ${printed}\n`);
  }
});

test('a refused payment has no receipts', async () => {
  const { gateway, terminal, settle } = await emulatorHarness();
  gateway.host = () => ({
    Approved: false,
    ErrorCondition: 'Refusal',
    Message: 'DECLINED',
    RefusalReason: '214 Declined online',
  });
  gateway.pay('1');
  await settle();
  terminal.act({ action: 'tap', card: 'visa-credit' });
  await settle();
  expect(gateway.outcomes()).toMatchObject([{ Response: { Result: 'Failure', ErrorCondition: 'Refusal' } }]);
  expect(gateway.outcomes()[0]).not.toHaveProperty('PaymentReceipt');
  expect(terminal.receipts()).toEqual([]);
});

test('a request that is delivered again is answered again, and not paid twice (B64)', async () => {
  const { gateway, terminal, settle } = await emulatorHarness();
  gateway.pay('1');
  gateway.pay('1');
  await settle();
  gateway.pay('1');
  await settle();
  expect(gateway.outcomes()).toEqual([]);
  terminal.act({ action: 'tap', card: 'visa-credit' });
  await settle();
  expect(gateway.outcomes()).toHaveLength(1);
  gateway.pay('1');
  await settle();
  expect(terminal.screen().state).toBe('idle');
  expect(gateway.outcomes()).toHaveLength(2);
  expect(gateway.outcomes()[1]).toEqual(gateway.outcomes()[0]);
});

test('a ServiceID is known for 48 hours (B64)', async () => {
  const { gateway, terminal, settle, clock } = await emulatorHarness();
  gateway.pay('1');
  await settle();
  terminal.act({ action: 'tap', card: 'visa-credit' });
  await settle();
  await clock.advance(48 * 3_600_000 - 1);
  gateway.pay('1');
  await settle();
  expect(gateway.outcomes()).toHaveLength(2);
  await clock.advance(2);
  gateway.pay('1');
  await settle();
  expect(terminal.screen().state).toBe('presentCard');
});

test('a second payment meanwhile is refused as busy, and names the running one', async () => {
  const { gateway, terminal, settle } = await emulatorHarness();
  gateway.pay('1');
  gateway.pay('2');
  await settle();
  expect(gateway.outcomes()).toMatchObject([
    {
      Response: { ErrorCondition: 'Busy', AdditionalResponse: expect.stringContaining('serviceId=1') },
      SaleData: { SaleTransactionID: { TransactionID: transactionOf('2') } },
    },
  ]);
  expect(terminal.screen().state).toBe('presentCard');
  gateway.pay('2');
  await settle();
  expect(gateway.outcomes()).toHaveLength(2);
});

test('a payment while a card is still in the slot fails as insertedCard (B37)', async () => {
  const { gateway, terminal, settle } = await emulatorHarness();
  gateway.pay('1');
  await settle();
  terminal.act({ action: 'insert', card: 'no-pin' });
  await settle();
  gateway.pay('2');
  await settle();
  expect(gateway.outcomes()[1]?.Response.ErrorCondition).toBe('InsertedCard');
  terminal.act({ action: 'remove' });
  gateway.pay('3');
  await settle();
  expect(terminal.screen().state).toBe('presentCard');
});

test('a card that was put into an idle terminal has to come out first', async () => {
  const { gateway, terminal, settle } = await emulatorHarness();
  terminal.act({ action: 'insert', card: 'no-pin' });
  expect(terminal.screen().state).toBe('removeCard');
  gateway.pay('1');
  await settle();
  expect(gateway.outcomes()).toMatchObject([{ Response: { ErrorCondition: 'InsertedCard' } }]);
});

test('a request that makes no sense fails as messageFormat', async () => {
  const { gateway, settle, terminal } = await emulatorHarness();
  gateway.pay('1', { saleToPoiData: 'not json' });
  await settle();
  gateway.pay('2', { amount: 1.001 });
  await settle();
  expect(gateway.outcomes().map(({ Response }) => Response.ErrorCondition)).toEqual([
    'MessageFormat',
    'MessageFormat',
  ]);
  expect(terminal.screen().state).toBe('idle');
});

test('an abort names its payment and does not affect another', async () => {
  const { gateway, terminal, settle } = await emulatorHarness();
  const abort = (serviceId: string) =>
    gateway.send('AbortRequest', 'A1', {
      MessageReference: { MessageCategory: 'Payment', ServiceID: serviceId },
      AbortReason: 'MerchantAbort',
    });
  gateway.pay('1');
  await settle();
  abort('2');
  await settle();
  expect(terminal.screen().state).toBe('presentCard');
  abort('1');
  await settle();
  expect(gateway.outcomes()).toMatchObject([{ Response: { ErrorCondition: 'Aborted' } }]);
  gateway.pay('3');
  abort('3'); // this message arrives right after the request, before the terminal has begun the payment
  await settle();
  expect(gateway.outcomes()[1]?.Response.ErrorCondition).toBe('Aborted');
  expect(terminal.screen().state).toBe('idle');
});

test('a status request is answered with in progress, the repeated answer, or not found', async () => {
  const { gateway, terminal, settle } = await emulatorHarness();
  const ask = async (serviceId: string) => {
    gateway.send('TransactionStatusRequest', `Q${gateway.received.length}`, {
      MessageReference: { MessageCategory: 'Payment', ServiceID: serviceId },
    });
    await settle();
    return gateway.of('TransactionStatusResponse').at(-1)?.body;
  };
  expect((await ask('1'))?.Response).toEqual({ Result: 'Failure', ErrorCondition: 'NotFound' });
  gateway.pay('1');
  await settle();
  expect((await ask('1'))?.Response).toEqual({ Result: 'Failure', ErrorCondition: 'InProgress' });
  terminal.act({ action: 'tap', card: 'visa-credit' });
  await settle();
  expect(await ask('1')).toMatchObject({
    Response: { Result: 'Success' },
    RepeatedMessageResponse: { RepeatedResponseMessageBody: { PaymentResponse: gateway.outcomes()[0] } },
  });
});

test('a diagnosis says whether a payment is on the terminal', async () => {
  const { gateway, settle } = await emulatorHarness();
  gateway.send('DiagnosisRequest', 'D1', {});
  gateway.pay('1');
  await settle();
  gateway.send('DiagnosisRequest', 'D2', {});
  await settle();
  expect(gateway.of('DiagnosisResponse').map(({ body }) => body.POIStatus.GlobalStatus)).toEqual([
    'OK',
    'Busy',
  ]);
});

test('the terminal announces itself and the cards in its slot', async () => {
  const { gateway, terminal, settle } = await emulatorHarness();
  terminal.act({ action: 'insert', card: 'no-pin' });
  terminal.act({ action: 'remove' });
  await settle();
  expect(gateway.of('EventNotification').map(({ body }) => body.EventToNotify)).toEqual([
    'Initialised',
    'CardInserted',
    'CardRemoved',
  ]);
});

test('progress is sent as display events of the payment', async () => {
  const { gateway, terminal, settle } = await emulatorHarness();
  gateway.pay('1');
  await settle();
  terminal.act({ action: 'tap', card: 'visa-credit' });
  await settle();
  const reported = gateway
    .of('DisplayRequest')
    .flatMap(({ header, body }) =>
      body.DisplayOutput.map(({ OutputContent }) => [
        header.ServiceID,
        new URLSearchParams(OutputContent.PredefinedContent.ReferenceID).get('event'),
      ]),
    );
  const events = [
    'TENDER_CREATED',
    'CARD_PRESENTED',
    'APPLICATION_SELECTED',
    'TENDER_FINAL',
    'PRINT_RECEIPT',
    'RECEIPT_PRINTED',
  ];
  expect(reported).toEqual(events.map((event) => ['1', event]));
});

test('an action that is not possible is refused with the reason', async () => {
  const { gateway, terminal, settle } = await emulatorHarness();
  expect(terminal.act({ action: 'insert', card: 'nothing' })).toEqual({
    code: 'unknownCard',
    message: expect.stringMatching(/^card nothing is not in the tray: .*GET \/control\/cards/),
  });
  expect(terminal.act({ action: 'tap', card: 'visa-credit' })).toMatchObject({ code: 'notPossible' });
  expect(terminal.act({ action: 'remove' })).toMatchObject({ code: 'notPossible' });
  expect(terminal.act({ action: 'power', on: true })).toMatchObject({ code: 'notPossible' });
  gateway.pay('1', { conditions: { ForceEntryMode: ['Contactless'] } });
  await settle();
  expect(terminal.act({ action: 'insert', card: 'visa-credit' })?.message).toContain('Contactless');
  expect(terminal.act({ action: 'tap', card: 'stripe-only' })?.message).toContain('cannot be tapped');
  terminal.act({ action: 'power', on: false });
  expect(terminal.act({ action: 'insert', card: 'visa-credit' })?.message).toContain('power');
});

test('a card blocked by wrong PINs works again after a reset', async () => {
  const { gateway, terminal, settle, press, emulator } = await emulatorHarness();
  gateway.pay('1');
  await settle();
  terminal.act({ action: 'insert', card: 'offline-pin' });
  press('0000', 'enter', '0000', 'enter', '0000', 'enter');
  await settle();
  expect(gateway.outcomes()).toMatchObject([{ Response: { ErrorCondition: 'WrongPIN' } }]);
  expect(emulator.cards.isBlocked('offline-pin')).toBe(true);
  expect(terminal.act({ action: 'resetCard', card: 'offline-pin' })).toBeUndefined();
  expect(emulator.cards.isBlocked('offline-pin')).toBe(false);
});

test('no digit of a PIN or card number is in the journal, and no card number is sent', async () => {
  const { gateway, terminal, settle, press, runtime } = await emulatorHarness();
  gateway.pay('1');
  await settle();
  press('4242424242424242', 'enter', '1249', 'enter');
  await settle();
  gateway.pay('2');
  await settle();
  terminal.act({ action: 'insert', card: 'offline-pin' });
  press('1234', 'enter');
  await settle();
  const keys = runtime.journal.since().flatMap(({ kind, data }) => (kind === 'terminal.key' ? [data] : []));
  expect(keys).toHaveLength(16 + 1 + 4 + 1 + 4 + 1);
  expect(new Set(keys.map((data) => (data as { key: string }).key))).toEqual(new Set(['digit', 'enter']));
  const everything = JSON.stringify([runtime.journal.since(), gateway.received, gateway.emulatorFrames]);
  expect(everything).not.toContain('4242424242424242');
  expect(everything).not.toContain('4001007020000002');
  expect(everything).toContain('424242 **** 4242');
});

test('the screen shows a star for each digit of a PIN, and none of the digits', async () => {
  const { gateway, terminal, settle, press } = await emulatorHarness();
  gateway.pay('1');
  await settle();
  terminal.act({ action: 'insert', card: 'offline-pin' });
  press('7731');
  expect(terminal.screen()).toMatchObject({ state: 'pin', input: { text: '****' } });
  expect(JSON.stringify(terminal.screen())).not.toContain('7731');
});

test('keying a tray card in types its number and expiry', async () => {
  const { gateway, terminal, settle } = await emulatorHarness();
  expect(terminal.keyIn('typed')).toMatchObject({ code: 'notPossible' });
  gateway.pay('1');
  await settle();
  expect(terminal.keyIn('typed')).toBeUndefined();
  await settle();
  expect(gateway.outcomes()).toMatchObject([
    { PaymentResult: { PaymentInstrumentData: { CardData: { EntryMode: ['Keyed'] } } } },
  ]);
});

test('receipts are in the languages of merchant and cardholder, and the screen in the cardholder’s', async () => {
  const { gateway, terminal, settle } = await emulatorHarness({
    terminals: [{ poiId, deviceKey: 'key', language: 'nl' }],
  });
  gateway.pay('1', { conditions: { CustomerLanguage: 'de' } });
  await settle();
  expect(terminal.screen().language).toBe('de');
  terminal.act({ action: 'tap', card: 'visa-credit' });
  await settle();
  expect(terminal.screen().language).toBe('nl');
  const [cashier, customer] = terminal
    .receipts()
    .map(({ lines }) => lines.map(({ text }) => text).join('\n'));
  expect(cashier).not.toBe(customer);
});

test('the tray contains the latest twenty receipts', async () => {
  const { gateway, terminal, settle } = await emulatorHarness();
  for (let i = 0; i < 11; i++) {
    gateway.pay(`${i}`);
    await settle();
    terminal.act({ action: 'tap', card: 'visa-credit' });
    await settle();
  }
  expect(terminal.receipts()).toHaveLength(20);
  expect(terminal.receipts().at(-1)?.transactionId).toBe(transactionOf('10'));
});

test('a listener gets every new screen until it stops', async () => {
  const { gateway, terminal, settle } = await emulatorHarness();
  const seen: string[] = [];
  const stop = terminal.onScreen(({ state }) => seen.push(state));
  gateway.pay('1');
  await settle();
  terminal.act({ action: 'press', keys: ['cancel'] });
  stop();
  gateway.pay('2');
  await settle();
  expect([...new Set(seen)]).toEqual(['presentCard', 'idle']);
});

/** Returns the journal's entries about the terminal itself, in order. */
const deviceStates = ({ runtime }: Awaited<ReturnType<typeof emulatorHarness>>) =>
  runtime.journal.since().flatMap((entry) => (entry.kind === 'terminal.state' ? [entry.data.state] : []));

test('a terminal with a payment has the state paying, even if its link changes, until a power cut', async () => {
  const harness = await emulatorHarness();
  const { gateway, terminal, settle, powerCut } = harness;
  gateway.pay('1');
  await settle();
  terminal.act({ action: 'network', up: false });
  await settle();
  powerCut();
  await settle();
  expect(deviceStates(harness)).toEqual(['offline', 'idle', 'paying', 'off']);
});

test('a terminal whose link was lost during a payment is offline afterwards', async () => {
  const harness = await emulatorHarness();
  const { gateway, terminal, settle, press } = harness;
  gateway.pay('1');
  await settle();
  terminal.act({ action: 'network', up: false });
  press('cancel');
  await settle();
  expect(deviceStates(harness).slice(-2)).toEqual(['paying', 'offline']);
});
