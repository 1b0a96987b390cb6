import { expect, test } from 'vitest';
import { findPairValue } from '../../shared/nexo/pairs.ts';
import { emulatorHarness } from '../../test/emulator-harness.ts';
import { transactionOf } from '../../test/scripted-gateway.ts';
import { naturalPacing } from '../index.ts';

/**
 * Tests refunds to a card that the customer presents. The dialogue is like that of a payment, but the screens have
 * other words, and the issuer checks no PIN (B477).
 */

type Harness = Awaited<ReturnType<typeof emulatorHarness>>;

const asked = ({ gateway }: Harness) =>
  gateway.of('AcquirerRequest').flatMap(({ body }) => (body.Type === 'Refund' ? [body] : []));
const takenBack = ({ gateway }: Harness) =>
  gateway.of('AcquirerRequest').flatMap(({ body }) => (body.Type === 'Reverse' ? [body] : []));
const said = ({ gateway }: Harness) =>
  gateway.outcomes().map(({ Response }) => Response.ErrorCondition ?? Response.Result);
const more = ({ gateway }: Harness, name: string) =>
  findPairValue(gateway.outcomes().at(-1)?.Response.AdditionalResponse ?? '', name);

async function refunding(changes: Parameters<Harness['gateway']['refund']>[1] = {}): Promise<Harness> {
  const harness = await emulatorHarness();
  harness.gateway.refund('1', changes);
  await harness.settle();
  return harness;
}

test('a refund asks the host to give the amount to the card, and is answered like a payment', async () => {
  const gratuity = { fixed: [100], custom: true, maximumTotal: 9_999 };
  const harness = await refunding({ amount: 25, data: { gratuity } });
  expect(harness.terminal.screen()).toMatchObject({
    state: 'presentCard',
    givesBack: 'refund',
    amount: '€25.00',
    lines: ['Refund to your card', 'Tap, insert, swipe, or key in', 'number'],
  });
  harness.terminal.act({ action: 'tap', card: 'visa-credit' });
  await harness.settle();
  expect(asked(harness)).toEqual([
    {
      Type: 'Refund',
      PaymentReference: transactionOf('1'),
      AttemptID: expect.any(String),
      Currency: 'EUR',
      Amount: 2_500,
      Card: expect.objectContaining({
        Brand: 'visa',
        MaskedPan: '411111 **** 1111',
        EntryMode: 'Contactless',
      }),
    },
  ]);
  expect(harness.gateway.outcomes()).toMatchObject([
    {
      Response: { Result: 'Success' },
      PaymentResult: {
        AmountsResp: { Currency: 'EUR', AuthorizedAmount: 25 },
        PaymentAcquirerData: { ApprovalCode: '123456' },
      },
    },
  ]);
  expect(harness.gateway.outcomes()[0]?.PaymentResult?.AmountsResp).not.toHaveProperty('TipAmount');
  expect([more(harness, 'transactionType'), more(harness, 'cardSummary')]).toEqual(['REFUND', '1111']);
  expect(harness.gateway.reversals()).toEqual([]);
  const lines = harness.terminal.receipts().map((receipt) => receipt.lines.map(({ text }) => text.trim()));
  for (const copy of lines) expect(copy).toContain('REFUND APPROVED');
});

test('the merchant can end a refund while it waits for the card, but not once the host is asked', async () => {
  const harness = await refunding();
  harness.gateway.host = () => undefined;
  const abort = async (serviceId: string) => {
    const MessageReference = { MessageCategory: 'Payment', ServiceID: serviceId };
    harness.gateway.send('AbortRequest', `A${serviceId}`, { MessageReference, AbortReason: 'MerchantAbort' });
    await harness.settle();
  };
  await abort('1');
  expect([said(harness), asked(harness)]).toEqual([['Aborted'], []]);
  harness.gateway.refund('2');
  await harness.settle();
  harness.terminal.act({ action: 'tap', card: 'visa-credit' });
  await harness.settle();
  await abort('2');
  expect([said(harness), harness.terminal.screen().state]).toEqual([['Aborted'], 'authorizing']);
});

test('pulling the card out while the host is asked reverses the attempt', async () => {
  const harness = await refunding();
  harness.gateway.host = () => undefined;
  harness.terminal.act({ action: 'insert', card: 'no-pin' });
  await harness.settle();
  harness.terminal.remove();
  await harness.settle();
  expect(said(harness)).toEqual(['Cancel']);
  expect(takenBack(harness)).toMatchObject([
    { AttemptID: asked(harness)[0]?.AttemptID, Reason: 'CardRemoved' },
  ]);
});

test('a refund asks for the PIN if the chip checks it offline, and not if the issuer would check it', async () => {
  const harness = await refunding();
  harness.terminal.act({ action: 'insert', card: 'offline-pin' });
  expect(harness.terminal.screen().lines[0]).toBe('Refund to your card');
  harness.press('1234', 'enter');
  await harness.settle();
  expect(said(harness)).toEqual(['Success']);
  expect(asked(harness)[0]?.OnlinePin).toBeUndefined();
  expect(harness.gateway.outcomes()[0]?.PaymentResult?.AuthenticationMethod).toEqual(['OfflinePIN']);
});

test.each([
  ['before.begun', []],
  ['after.begun', ['DeviceOut']],
  ['presentCard', ['DeviceOut']],
  ['readingCard', ['DeviceOut']],
  ['before.attempted', ['DeviceOut']],
  ['after.attempted', ['DeviceOut', 'Malfunction']],
  ['authorizing', ['DeviceOut', 'Malfunction']],
  ['before.settled', ['DeviceOut', 'Malfunction']],
  ['after.settled', ['Success']],
  ['approved', ['Success']],
  ['printing', ['Success']],
] as const)('a power cut at the moment %s of a refund leads to %j', async (moment, outcome) => {
  const harness = await emulatorHarness({ pacing: naturalPacing });
  await harness.clock.advance(naturalPacing.startMs);
  harness.emulator.moments.set({ action: 'powerOff', moment, backMs: 1_000, after: 0, times: 1 });
  harness.gateway.refund('1');
  await harness.settle();
  harness.terminal.act({ action: 'tap', card: 'visa-credit' });
  await harness.clock.advance(60_000);
  const reasons = takenBack(harness).map(({ Reason }) => Reason);
  expect([...said(harness), ...reasons]).toEqual(outcome);
  harness.gateway.refund('1');
  await harness.clock.advance(1_000);
  expect(said(harness).at(-1)).toBe(outcome[0]);
  expect(asked(harness).length).toBeLessThanOrEqual(1);
});
