import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { emulatorBench, poiId } from '../../test/emulator-bench.ts';
import { transactionOf } from '../../test/scripted-gateway.ts';
import { naturalPacing } from '../index.ts';

type Bench = Awaited<ReturnType<typeof emulatorBench>>;

const reversals = ({ gateway }: Bench) =>
  gateway.of('AcquirerRequest').flatMap(({ body }) => (body.Type === 'Reverse' ? [body] : []));
/** The attempt of each authorization that was asked for. */
const attempts = ({ gateway }: Bench) =>
  gateway.of('AcquirerRequest').flatMap(({ body }) => (body.Type === 'Authorize' ? [body.AttemptID] : []));
const conditions = ({ gateway }: Bench) =>
  gateway.outcomes().map(({ Response }) => Response.ErrorCondition ?? Response.Result);

/** Each prompt before the host is asked, and how to come there. */
const before: [state: string, reach: (bench: Bench) => Promise<void>][] = [
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
  'a power cut in %s concludes as deviceOut, with nothing to reverse',
  async (state, reach) => {
    const bench = await emulatorBench();
    await reach(bench);
    expect(bench.terminal.screen().state).toBe(state);
    bench.powerCut();
    expect(bench.terminal.screen().state).toBe('off');
    await bench.settle();
    expect(bench.gateway.links[0]?.open).toBe(false);
    bench.powerOn();
    await bench.settle();
    expect(conditions(bench)).toEqual(['DeviceOut']);
    expect(reversals(bench)).toEqual([]);
    expect(
      bench.gateway.of('EventNotification').filter(({ body }) => body.EventToNotify === 'Initialised'),
    ).toHaveLength(2);
  },
);

test('a power cut while the host is asked reverses and concludes as deviceOut, telling of the card', async () => {
  const bench = await emulatorBench();
  bench.gateway.host = () => undefined;
  bench.gateway.pay('1');
  await bench.settle();
  bench.terminal.act({ action: 'tap', card: 'visa-credit' });
  await bench.settle();
  expect(bench.terminal.screen().state).toBe('authorizing');
  bench.powerCut();
  bench.powerOn();
  await bench.settle();
  expect(conditions(bench)).toEqual(['DeviceOut']);
  expect(bench.gateway.outcomes()[0]?.PaymentResult?.PaymentInstrumentData.CardData.MaskedPan).toBe(
    '411111 **** 1111',
  );
  const [attempt] = attempts(bench);
  expect(reversals(bench)).toMatchObject([
    { PaymentReference: transactionOf('1'), AttemptID: attempt, Reason: 'Malfunction' },
  ]);
  expect(bench.gateway.outcomes()[0]?.POIData.AttemptID).toBe(attempt);
});

test('every try is an attempt of its own, and the answer names the last', async () => {
  const bench = await emulatorBench();
  let tries = 0;
  bench.gateway.host = () => (++tries < 3 ? { Approved: false, ErrorCondition: 'WrongPIN' } : {});
  bench.gateway.pay('1');
  await bench.settle();
  bench.terminal.act({ action: 'insert', card: 'online-pin' });
  for (let at = 0; at < 3; at++) {
    await bench.settle();
    bench.press('1234', 'enter');
  }
  await bench.settle();
  expect(conditions(bench)).toEqual(['Success']);
  expect(new Set(attempts(bench)).size).toBe(3);
  expect(bench.gateway.outcomes()[0]?.POIData.AttemptID).toBe(attempts(bench)[2]);
});

test('a host that is asked again after the link broke is asked in the same attempt', async () => {
  const bench = await emulatorBench();
  bench.gateway.host = () => undefined;
  bench.gateway.pay('1');
  await bench.settle();
  bench.terminal.act({ action: 'tap', card: 'visa-credit' });
  await bench.settle();
  bench.terminal.act({ action: 'network', up: false });
  bench.terminal.act({ action: 'network', up: true });
  await bench.clock.advance(5_000);
  const asked = attempts(bench);
  expect(asked.length).toBeGreaterThan(1);
  expect(new Set(asked).size).toBe(1);
  await bench.clock.advance(30_000);
  expect(reversals(bench)).toMatchObject([{ AttemptID: asked[0], Reason: 'Timeout' }]);
});

test('a power cut between the approval and the result delivers the approval', async () => {
  const bench = await emulatorBench();
  bench.gateway.pay('1');
  await bench.settle();
  // The gateway never says that it has the result, so the terminal must keep it.
  bench.gateway.hold = ({ kind }) => (kind === 'PaymentResponse' ? new Promise(() => {}) : undefined);
  bench.terminal.act({ action: 'tap', card: 'visa-credit' });
  await Promise.race([bench.settle(), untilReceived(bench, 'PaymentResponse')]);
  bench.powerCut();
  bench.gateway.hold = () => undefined;
  bench.powerOn();
  await untilReceived(bench, 'PaymentResponse', 2);
  expect(conditions(bench)).toEqual(['Success', 'Success']);
  expect(reversals(bench)).toEqual([]);
});

/** Real sockets, one turn of the event loop after the other, where a message is held on purpose. */
async function untilReceived({ gateway }: Bench, kind: 'PaymentResponse', times = 1): Promise<void> {
  while (gateway.of(kind).length < times) await new Promise<void>((resolve) => setImmediate(resolve));
}

test('what the gateway has is forgotten: a later boot says nothing', async () => {
  const bench = await emulatorBench();
  bench.gateway.pay('1');
  await bench.settle();
  bench.terminal.act({ action: 'tap', card: 'visa-credit' });
  await bench.settle();
  bench.powerCut();
  bench.powerOn();
  await bench.settle();
  expect(conditions(bench)).toEqual(['Success']);
});

test('a power cut while the card is out of the slot leaves no card; one inside stays', async () => {
  const bench = await emulatorBench();
  bench.gateway.pay('1');
  await bench.settle();
  bench.terminal.act({ action: 'insert', card: 'offline-pin' });
  bench.powerCut();
  bench.powerOn();
  await bench.settle();
  expect(bench.terminal.screen()).toMatchObject({ state: 'removeCard', card: { id: 'offline-pin' } });
});

test('while it starts the terminal is not reached, then it is', async () => {
  const bench = await emulatorBench({ pacing: naturalPacing });
  expect(bench.terminal.screen().state).toBe('starting');
  expect(bench.gateway.links).toEqual([]);
  await bench.clock.advance(naturalPacing.startMs);
  expect(bench.terminal.screen().state).toBe('idle');
  bench.powerCut();
  await bench.settle();
  bench.powerOn();
  await bench.clock.advance(naturalPacing.startMs - 1);
  bench.powerCut();
  await bench.clock.advance(60_000);
  expect(bench.gateway.links).toHaveLength(1);
});

test('a network cut before the host is asked: it is asked when the network is back', async () => {
  const bench = await emulatorBench();
  bench.gateway.pay('1');
  await bench.settle();
  bench.terminal.act({ action: 'network', up: false });
  expect(bench.terminal.screen()).toMatchObject({ state: 'presentCard', lamps: { network: false } });
  bench.terminal.act({ action: 'tap', card: 'visa-credit' });
  await bench.clock.advance(20_000);
  expect(bench.terminal.screen().state).toBe('authorizing');
  bench.terminal.act({ action: 'network', up: true });
  await bench.settle();
  expect(conditions(bench)).toEqual(['Success']);
});

test('a network cut of 30 s while the host is asked is unreachableHost and a reversal', async () => {
  const bench = await emulatorBench();
  bench.gateway.pay('1');
  await bench.settle();
  bench.terminal.act({ action: 'network', up: false });
  bench.terminal.act({ action: 'tap', card: 'visa-credit' });
  await bench.clock.advance(30_000);
  expect(bench.terminal.screen().state).toBe('offline');
  expect(conditions(bench)).toEqual([]);
  bench.terminal.act({ action: 'network', up: true });
  await bench.settle();
  expect(conditions(bench)).toEqual(['UnreachableHost']);
  expect(reversals(bench)).toMatchObject([{ Reason: 'Timeout' }]);
});

test('an answer lost on the way is asked for again under the same ServiceID', async () => {
  const bench = await emulatorBench();
  const { gateway, terminal } = bench;
  gateway.host = () => {
    terminal.act({ action: 'network', up: false });
    return {};
  };
  gateway.pay('1');
  await bench.settle();
  terminal.act({ action: 'tap', card: 'visa-credit' });
  await bench.settle();
  gateway.host = () => ({});
  terminal.act({ action: 'network', up: true });
  await bench.settle();
  const asked = gateway.of('AcquirerRequest').map(({ header }) => header.ServiceID);
  expect(asked).toHaveLength(2);
  expect(new Set(asked).size).toBe(1);
  expect(conditions(bench)).toEqual(['Success']);
});

test('an outcome that could not be sent goes out when the network is back', async () => {
  const bench = await emulatorBench();
  bench.gateway.pay('1');
  await bench.settle();
  bench.terminal.act({ action: 'network', up: false });
  bench.press('cancel');
  await bench.clock.advance(600_000);
  expect(bench.terminal.screen().state).toBe('offline');
  bench.terminal.act({ action: 'network', up: true });
  await bench.settle();
  expect(conditions(bench)).toEqual(['Cancel']);
});

test('a reversal is asked every 5 s until the host answers, across power cuts', async () => {
  const bench = await emulatorBench();
  bench.gateway.host = () => undefined;
  bench.gateway.answersReversals = false;
  bench.gateway.pay('1');
  await bench.settle();
  bench.terminal.act({ action: 'tap', card: 'visa-credit' });
  await bench.clock.advance(30_000);
  expect(conditions(bench)).toEqual(['UnreachableHost']);
  await bench.clock.advance(10_000);
  expect(reversals(bench)).toHaveLength(3);
  bench.powerCut();
  await bench.clock.advance(60_000);
  expect(reversals(bench)).toHaveLength(3);
  bench.powerOn();
  await bench.settle();
  expect(reversals(bench)).toHaveLength(4);
  bench.gateway.answersReversals = true;
  await bench.clock.advance(5_000);
  expect(reversals(bench)).toHaveLength(5);
  await bench.clock.advance(3_600_000);
  expect(reversals(bench)).toHaveLength(5);
  bench.powerCut();
  bench.powerOn();
  await bench.settle();
  expect(reversals(bench)).toHaveLength(5);
});

test('a late approval after the host timeout changes nothing', async () => {
  const bench = await emulatorBench();
  let late = () => {};
  bench.gateway.host = (request) => {
    const { header } = bench.gateway.of('AcquirerRequest').at(-1)!;
    late = () =>
      bench.gateway.send('AcquirerResponse', header.ServiceID, {
        Type: 'Authorize',
        PaymentReference: request.PaymentReference,
        AttemptID: request.AttemptID,
        Approved: true,
        PspReference: 'LATE',
        AcquirerResponseCode: 'APPROVED',
      });
    return undefined;
  };
  bench.gateway.pay('1');
  await bench.settle();
  bench.terminal.act({ action: 'tap', card: 'visa-credit' });
  await bench.clock.advance(30_000);
  late();
  await bench.settle();
  expect(conditions(bench)).toEqual(['UnreachableHost']);
  expect(bench.terminal.screen().state).toBe('idle');
});

test('a process that dies starts again where its memory file says', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'pinpad-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const memory = join(folder, 'terminals.sqlite');
  const bench = await emulatorBench({ memory });
  bench.gateway.host = () => undefined;
  bench.gateway.pay('1');
  await bench.settle();
  bench.terminal.act({ action: 'tap', card: 'visa-credit' });
  await bench.settle();
  await bench.emulator.close();
  const again = await bench.start({ memory });
  expect(again.terminal(poiId)?.screen().state).toBe('idle');
  expect(conditions(bench)).toEqual(['DeviceOut']);
  expect(reversals(bench)).toHaveLength(1);
});
