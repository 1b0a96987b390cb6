import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { emulatorHarness, poiId } from '../../test/emulator-harness.ts';
import { transactionOf } from '../../test/scripted-gateway.ts';
import { until } from '../../test/until.ts';
import { naturalPacing } from '../index.ts';

type Harness = Awaited<ReturnType<typeof emulatorHarness>>;

const reversals = ({ gateway }: Harness) =>
  gateway.of('AcquirerRequest').flatMap(({ body }) => (body.Type === 'Reverse' ? [body] : []));
/** Returns the attempt ids of all authorization requests. */
const attempts = ({ gateway }: Harness) =>
  gateway.of('AcquirerRequest').flatMap(({ body }) => (body.Type === 'Authorize' ? [body.AttemptID] : []));
const conditions = ({ gateway }: Harness) =>
  gateway.outcomes().map(({ Response }) => Response.ErrorCondition ?? Response.Result);

/** The prompts before the request to the host. For each prompt, `reach` brings the terminal to this prompt. */
const before: [state: string, reach: (harness: Harness) => Promise<void>][] = [
  [
    'tip',
    async ({ gateway, settle }) => {
      gateway.pay('1', { data: { gratuity: { fixed: [100], custom: true, maximumTotal: 9999 } } });
      await settle();
    },
  ],
  [
    'customTip',
    async ({ gateway, settle, press }) => {
      gateway.pay('1', { data: { gratuity: { fixed: [100], custom: true, maximumTotal: 9999 } } });
      await settle();
      press('2', '5');
    },
  ],
  [
    'presentCard',
    async ({ gateway, settle }) => {
      gateway.pay('1');
      await settle();
    },
  ],
  [
    'keyedNumber',
    async ({ gateway, settle, press }) => {
      gateway.pay('1');
      await settle();
      press('4242');
    },
  ],
  [
    'applicationChoice',
    async ({ gateway, settle, terminal }) => {
      gateway.pay('1');
      await settle();
      terminal.act({ action: 'insert', card: 'credit-debit' });
    },
  ],
  [
    'pin',
    async ({ gateway, settle, terminal, press }) => {
      gateway.pay('1');
      await settle();
      terminal.act({ action: 'insert', card: 'offline-pin' });
      press('12');
    },
  ],
];

test.each(before)(
  'a power cut in %s concludes the payment as deviceOut, with nothing to reverse',
  async (state, reach) => {
    const harness = await emulatorHarness();
    await reach(harness);
    expect(harness.terminal.screen().state).toBe(state);
    harness.powerCut();
    expect(harness.terminal.screen().state).toBe('off');
    await harness.settle();
    expect(harness.gateway.links[0]?.open).toBe(false);
    harness.powerOn();
    await harness.settle();
    expect(conditions(harness)).toEqual(['DeviceOut']);
    expect(reversals(harness)).toEqual([]);
    expect(
      harness.gateway.of('EventNotification').filter(({ body }) => body.EventToNotify === 'Initialised'),
    ).toHaveLength(2);
  },
);

test('a power cut while the host is asked leads to a reversal and deviceOut, with the card', async () => {
  const harness = await emulatorHarness();
  harness.gateway.host = () => undefined;
  harness.gateway.pay('1');
  await harness.settle();
  harness.terminal.act({ action: 'tap', card: 'visa-credit' });
  await harness.settle();
  expect(harness.terminal.screen().state).toBe('authorizing');
  harness.powerCut();
  harness.powerOn();
  await harness.settle();
  expect(conditions(harness)).toEqual(['DeviceOut']);
  expect(harness.gateway.outcomes()[0]?.PaymentResult?.PaymentInstrumentData.CardData.MaskedPan).toBe(
    '411111 **** 1111',
  );
  const [attempt] = attempts(harness);
  expect(reversals(harness)).toMatchObject([
    { PaymentReference: transactionOf('1'), AttemptID: attempt, Reason: 'Malfunction' },
  ]);
  expect(harness.gateway.outcomes()[0]?.POIData.AttemptID).toBe(attempt);
});

test('every try is a separate attempt, and the answer names the last', async () => {
  const harness = await emulatorHarness();
  let tries = 0;
  harness.gateway.host = () => (++tries < 3 ? { Approved: false, ErrorCondition: 'WrongPIN' } : {});
  harness.gateway.pay('1');
  await harness.settle();
  harness.terminal.act({ action: 'insert', card: 'online-pin' });
  for (let at = 0; at < 3; at++) {
    await harness.settle();
    harness.press('1234', 'enter');
  }
  await harness.settle();
  expect(conditions(harness)).toEqual(['Success']);
  expect(new Set(attempts(harness)).size).toBe(3);
  expect(harness.gateway.outcomes()[0]?.POIData.AttemptID).toBe(attempts(harness)[2]);
});

test('a host that is asked again after the link broke gets the same attempt', async () => {
  const harness = await emulatorHarness();
  harness.gateway.host = () => undefined;
  harness.gateway.pay('1');
  await harness.settle();
  harness.terminal.act({ action: 'tap', card: 'visa-credit' });
  await harness.settle();
  harness.terminal.act({ action: 'network', up: false });
  harness.terminal.act({ action: 'network', up: true });
  await harness.clock.advance(5_000);
  const asked = attempts(harness);
  expect(asked.length).toBeGreaterThan(1);
  expect(new Set(asked).size).toBe(1);
  await harness.clock.advance(30_000);
  expect(reversals(harness)).toMatchObject([{ AttemptID: asked[0], Reason: 'Timeout' }]);
});

test('a power cut between the approval and the result delivers the approval', async () => {
  const harness = await emulatorHarness();
  harness.gateway.pay('1');
  await harness.settle();
  // The gateway never says that the result has arrived, so the terminal must keep it.
  harness.gateway.hold = ({ kind }) => (kind === 'PaymentResponse' ? new Promise(() => {}) : undefined);
  harness.terminal.act({ action: 'tap', card: 'visa-credit' });
  await Promise.race([harness.settle(), untilReceived(harness, 'PaymentResponse')]);
  harness.powerCut();
  harness.gateway.hold = () => undefined;
  harness.powerOn();
  await untilReceived(harness, 'PaymentResponse', 2);
  expect(conditions(harness)).toEqual(['Success', 'Success']);
  expect(reversals(harness)).toEqual([]);
});

/** Waits until a message of this kind has reached the gateway over real sockets. The gateway handles it only later. */
function untilReceived({ gateway }: Harness, kind: 'PaymentResponse', times = 1): Promise<void> {
  return until(`the gateway has ${times} ${kind}`, () => gateway.of(kind).length >= times);
}

test('an outcome that the gateway has acknowledged is forgotten, and a later boot sends nothing', async () => {
  const harness = await emulatorHarness();
  harness.gateway.pay('1');
  await harness.settle();
  harness.terminal.act({ action: 'tap', card: 'visa-credit' });
  await harness.settle();
  harness.powerCut();
  harness.powerOn();
  await harness.settle();
  expect(conditions(harness)).toEqual(['Success']);
});

test('after a power cut a card that was pulled out is gone, and one in the slot stays', async () => {
  const harness = await emulatorHarness();
  harness.gateway.pay('1');
  await harness.settle();
  harness.terminal.act({ action: 'insert', card: 'offline-pin' });
  harness.powerCut();
  harness.powerOn();
  await harness.settle();
  expect(harness.terminal.screen()).toMatchObject({ state: 'removeCard', card: { id: 'offline-pin' } });
});

test('a terminal cannot be reached while it starts, and can be afterwards', async () => {
  const harness = await emulatorHarness({ pacing: naturalPacing });
  expect(harness.terminal.screen().state).toBe('starting');
  expect(harness.gateway.links).toEqual([]);
  await harness.clock.advance(naturalPacing.startMs);
  expect(harness.terminal.screen().state).toBe('idle');
  harness.powerCut();
  await harness.settle();
  harness.powerOn();
  await harness.clock.advance(naturalPacing.startMs - 1);
  harness.powerCut();
  await harness.clock.advance(60_000);
  expect(harness.gateway.links).toHaveLength(1);
});

test('if the network is cut before the host is asked, the host is asked when the network is back', async () => {
  const harness = await emulatorHarness();
  harness.gateway.pay('1');
  await harness.settle();
  harness.terminal.act({ action: 'network', up: false });
  expect(harness.terminal.screen()).toMatchObject({ state: 'presentCard', lamps: { network: false } });
  harness.terminal.act({ action: 'tap', card: 'visa-credit' });
  await harness.clock.advance(20_000);
  expect(harness.terminal.screen().state).toBe('authorizing');
  harness.terminal.act({ action: 'network', up: true });
  await harness.settle();
  expect(conditions(harness)).toEqual(['Success']);
});

test('a network cut of 30 s while the host is asked gives unreachableHost and a reversal', async () => {
  const harness = await emulatorHarness();
  harness.gateway.pay('1');
  await harness.settle();
  harness.terminal.act({ action: 'network', up: false });
  harness.terminal.act({ action: 'tap', card: 'visa-credit' });
  await harness.clock.advance(30_000);
  expect(harness.terminal.screen().state).toBe('offline');
  expect(conditions(harness)).toEqual([]);
  harness.terminal.act({ action: 'network', up: true });
  await harness.settle();
  expect(conditions(harness)).toEqual(['UnreachableHost']);
  expect(reversals(harness)).toMatchObject([{ Reason: 'Timeout' }]);
});

test('an answer that was lost on the way is requested again under the same ServiceID', async () => {
  const harness = await emulatorHarness();
  const { gateway, terminal } = harness;
  gateway.host = () => {
    terminal.act({ action: 'network', up: false });
    return {};
  };
  gateway.pay('1');
  await harness.settle();
  terminal.act({ action: 'tap', card: 'visa-credit' });
  await harness.settle();
  gateway.host = () => ({});
  terminal.act({ action: 'network', up: true });
  await harness.settle();
  const asked = gateway.of('AcquirerRequest').map(({ header }) => header.ServiceID);
  expect(asked).toHaveLength(2);
  expect(new Set(asked).size).toBe(1);
  expect(conditions(harness)).toEqual(['Success']);
});

test('an outcome that could not be sent is sent when the network is back', async () => {
  const harness = await emulatorHarness();
  harness.gateway.pay('1');
  await harness.settle();
  harness.terminal.act({ action: 'network', up: false });
  harness.press('cancel');
  await harness.clock.advance(600_000);
  expect(harness.terminal.screen().state).toBe('offline');
  harness.terminal.act({ action: 'network', up: true });
  await harness.settle();
  expect(conditions(harness)).toEqual(['Cancel']);
});

test('a reversal is sent every 5 s until the host answers, even across power cuts', async () => {
  const harness = await emulatorHarness();
  harness.gateway.host = () => undefined;
  harness.gateway.answersReversals = false;
  harness.gateway.pay('1');
  await harness.settle();
  harness.terminal.act({ action: 'tap', card: 'visa-credit' });
  await harness.clock.advance(30_000);
  expect(conditions(harness)).toEqual(['UnreachableHost']);
  await harness.clock.advance(10_000);
  expect(reversals(harness)).toHaveLength(3);
  harness.powerCut();
  await harness.clock.advance(60_000);
  expect(reversals(harness)).toHaveLength(3);
  harness.powerOn();
  await harness.settle();
  expect(reversals(harness)).toHaveLength(4);
  harness.gateway.answersReversals = true;
  await harness.clock.advance(5_000);
  expect(reversals(harness)).toHaveLength(5);
  await harness.clock.advance(3_600_000);
  expect(reversals(harness)).toHaveLength(5);
  harness.powerCut();
  harness.powerOn();
  await harness.settle();
  expect(reversals(harness)).toHaveLength(5);
});

test('a late approval after the host timeout changes nothing', async () => {
  const harness = await emulatorHarness();
  let late = () => {};
  harness.gateway.host = (request) => {
    const { header } = harness.gateway.of('AcquirerRequest').at(-1)!;
    late = () =>
      harness.gateway.send('AcquirerResponse', header.ServiceID, {
        Type: 'Authorize',
        PaymentReference: request.PaymentReference,
        AttemptID: request.AttemptID,
        Approved: true,
        PspReference: 'LATE',
        AcquirerResponseCode: 'APPROVED',
      });
    return undefined;
  };
  harness.gateway.pay('1');
  await harness.settle();
  harness.terminal.act({ action: 'tap', card: 'visa-credit' });
  await harness.clock.advance(30_000);
  late();
  await harness.settle();
  expect(conditions(harness)).toEqual(['UnreachableHost']);
  expect(harness.terminal.screen().state).toBe('idle');
});

test('a process that dies continues from its memory file at the next start', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'pinpad-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const memory = join(folder, 'terminals.sqlite');
  const harness = await emulatorHarness({ memory });
  harness.gateway.host = () => undefined;
  harness.gateway.pay('1');
  await harness.settle();
  harness.terminal.act({ action: 'tap', card: 'visa-credit' });
  await harness.settle();
  await harness.emulator.close();
  const again = await harness.start({ memory });
  expect(again.terminal(poiId)?.screen().state).toBe('idle');
  expect(conditions(harness)).toEqual(['DeviceOut']);
  expect(reversals(harness)).toHaveLength(1);
});
