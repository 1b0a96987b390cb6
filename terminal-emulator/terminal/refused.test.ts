import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { encodeMessage, type Message, type MessageKind } from '../../shared/nexo/message.ts';
import { UnreadableMessageError } from '../../shared/transport/link.ts';
import { emulatorHarness, poiId } from '../../test/emulator-harness.ts';
import { makeApprovedResponse } from '../../test/scripted-gateway.ts';

/** Tests messages that the gateway refuses because the gateway cannot read them (B67). */

type Harness = Awaited<ReturnType<typeof emulatorHarness>>;

const refuse = (of: (message: Message) => boolean) => (message: Message) => {
  if (of(message)) throw new UnreadableMessageError(`${message.kind} is beyond me`);
  return undefined;
};
const isOutcome = ({ kind }: Message) => kind === 'PaymentResponse';
const isReversal = ({ kind, body }: Message) =>
  kind === 'AcquirerRequest' && (body as { Type: string }).Type === 'Reverse';
const reversals = ({ gateway }: Harness) => gateway.received.filter(isReversal).length;
const warnings = ({ runtime }: Harness) =>
  runtime.journal
    .since()
    .filter(({ kind }) => kind === 'warning')
    .map(({ data }) => (data as { message: string }).message);

/** Approves a payment with this ServiceID. The answer to the payment is then on its way to the gateway. */
async function approved({ gateway, terminal, settle }: Harness, serviceId: string): Promise<void> {
  gateway.pay(serviceId);
  await settle();
  terminal.act({ action: 'tap', card: 'visa-credit' });
  await settle();
}

test('an outcome is sent three times, then set aside with a warning, and the next payment succeeds', async () => {
  const harness = await emulatorHarness();
  const { gateway, clock } = harness;
  gateway.hold = refuse(isOutcome);
  await approved(harness, '1');
  for (const sent of [1, 2, 3, 3]) {
    expect(gateway.outcomes()).toHaveLength(sent);
    await clock.advance(5_000);
  }
  expect(warnings(harness)).toEqual([
    'the outcome of 1 is not sent again, because the gateway cannot read it: PaymentResponse is beyond me',
  ]);
  await clock.advance(3_600_000);
  expect(gateway.outcomes()).toHaveLength(3);
  expect(gateway.links).toHaveLength(1);
  gateway.hold = () => undefined;
  await approved(harness, '2');
  expect(gateway.outcomes()).toHaveLength(4);
  expect(gateway.outcomes()[3]).toMatchObject({ Response: { Result: 'Success' } });
});

test('refusals are counted across power cuts, and outcomes that were set aside stay so', async () => {
  const harness = await emulatorHarness();
  const { gateway, clock, powerCut, powerOn, settle } = harness;
  gateway.hold = refuse(isOutcome);
  await approved(harness, '1');
  for (const sent of [2, 3, 3]) {
    powerCut();
    await settle();
    powerOn();
    await clock.advance(1_000);
    expect(gateway.outcomes()).toHaveLength(sent);
  }
  gateway.hold = () => undefined;
  gateway.pay('1');
  await clock.advance(60_000);
  expect(gateway.outcomes()).toHaveLength(3);
  await approved(harness, '2');
  expect(gateway.outcomes()).toHaveLength(4);
});

test('refusals are counted across processes', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'pinpad-refused-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const memory = join(folder, 'terminals.sqlite');
  const harness = await emulatorHarness({ memory });
  harness.gateway.hold = refuse(isOutcome);
  await approved(harness, '1');
  await harness.clock.advance(5_000);
  expect(harness.gateway.outcomes()).toHaveLength(2);
  await harness.emulator.close();
  await harness.start();
  await harness.clock.advance(60_000);
  expect(harness.gateway.outcomes()).toHaveLength(3);
});

test.each<[string, (harness: Harness) => void]>([
  ['a lost link', ({ gateway }) => gateway.links.at(-1)?.fail(1006, 'lost')],
  ['an acknowledgement that does not come in time', ({ gateway }) => gateway.links.at(-1)?.cut()],
  [
    'an internal error',
    () => {
      throw new Error('disk full');
    },
  ],
])('%s never counts as a refusal: the outcome is sent until it is acknowledged', async (_what, happens) => {
  const harness = await emulatorHarness();
  const { gateway, clock } = harness;
  gateway.hold = (message) => {
    if (isOutcome(message)) happens(harness);
    return undefined;
  };
  await approved(harness, '1');
  for (let times = 0; times < 5 && gateway.outcomes().length <= 3; times++) await clock.advance(15_000);
  expect(gateway.outcomes().length).toBeGreaterThan(3);
  gateway.hold = () => undefined;
  await clock.advance(15_000);
  const sent = gateway.outcomes().length;
  gateway.links.at(-1)?.fail(1006, 'lost');
  await clock.advance(15_000);
  expect(gateway.outcomes()).toHaveLength(sent);
  expect(warnings(harness).filter((message) => message.includes('aside'))).toEqual([]);
});

test('refused status answers count as well, and none are sent after the outcome is set aside', async () => {
  const harness = await emulatorHarness();
  const { gateway, settle } = harness;
  const isAnswer = (message: Message) => isOutcome(message) || message.kind === 'TransactionStatusResponse';
  gateway.hold = refuse(isAnswer);
  await approved(harness, '1');
  const ask = async () => {
    gateway.send('TransactionStatusRequest', 'ASK', {
      MessageReference: { MessageCategory: 'Payment', ServiceID: '1' },
    });
    await settle();
  };
  for (let times = 0; times < 4; times++) await ask();
  expect(gateway.outcomes()).toHaveLength(1);
  expect(gateway.of('TransactionStatusResponse')).toHaveLength(2);
  expect(warnings(harness)).toHaveLength(1);
  expect(gateway.links).toHaveLength(1);
});

async function reversed(harness: Harness): Promise<void> {
  const { gateway, terminal, settle, clock } = harness;
  gateway.host = () => undefined;
  gateway.pay('1');
  await settle();
  terminal.act({ action: 'tap', card: 'visa-credit' });
  await clock.advance(30_000);
  expect(reversals(harness)).toBe(1);
}

test('a reversal is set aside after three refusals if the gateway has the outcome, from which it reverses itself', async () => {
  const harness = await emulatorHarness();
  const { gateway, clock, powerCut, powerOn } = harness;
  gateway.hold = refuse(isReversal);
  gateway.answersReversals = false;
  await reversed(harness);
  await clock.advance(60_000);
  expect(reversals(harness)).toBe(3);
  expect(warnings(harness)).toEqual([
    'a reversal is not sent again: the host cannot read the reversal: AcquirerRequest is beyond me',
  ]);
  powerCut();
  powerOn();
  await clock.advance(60_000);
  expect(reversals(harness)).toBe(3);
});

test('a reversal whose answer the terminal cannot read is set aside like a refused one', async () => {
  const harness = await emulatorHarness();
  const { gateway, clock, settle } = harness;
  gateway.answersReversals = false;
  gateway.hold = (message) => {
    const { ServiceID: serviceId } = message.header;
    if (isReversal(message))
      gateway.links.at(-1)?.send(encodeMessage('AcquirerResponse', { serviceId, poiId }, '{}'));
    return undefined;
  };
  await reversed(harness);
  await clock.advance(3_600_000);
  expect(reversals(harness)).toBe(3);
  expect(warnings(harness)).toEqual([
    expect.stringMatching(
      /^a reversal is not sent again: the host's answer cannot be read: AcquirerResponse: /,
    ),
  ]);
  gateway.links.at(-1)?.fail(1006, 'lost');
  await clock.advance(60_000);
  expect(reversals(harness)).toBe(3);
  gateway.host = makeApprovedResponse;
  await approved(harness, '2');
  await settle();
  expect(gateway.outcomes()[1]?.Response.Result).toBe('Success');
});

test('a reversal is not set aside earlier: it is sent on every new link until the gateway has the outcome', async () => {
  const harness = await emulatorHarness();
  const { gateway, clock, powerCut, powerOn } = harness;
  gateway.hold = refuse((message) => isReversal(message) || isOutcome(message));
  gateway.answersReversals = false;
  await reversed(harness);
  await clock.advance(60_000);
  expect(reversals(harness)).toBe(3);
  expect(gateway.outcomes()).toHaveLength(3);
  for (const sent of [4, 5]) {
    powerCut();
    powerOn();
    await clock.advance(60_000);
    expect(reversals(harness)).toBe(sent);
  }
  gateway.hold = () => undefined;
  gateway.answersReversals = true;
  gateway.links.at(-1)?.fail(1006, 'lost');
  await clock.advance(60_000);
  expect(reversals(harness)).toBe(6);
  gateway.links.at(-1)?.fail(1006, 'lost');
  await clock.advance(60_000);
  expect(reversals(harness)).toBe(6);
});

test('a refused authorization is sent once: the payment fails when the host is overdue, and the next succeeds', async () => {
  const harness = await emulatorHarness();
  const { gateway, clock } = harness;
  const isAuthorization = (message: Message) => message.kind === 'AcquirerRequest' && !isReversal(message);
  const sent = () => [
    gateway.received.filter(isAuthorization).length,
    reversals(harness),
    gateway.outcomes().length,
  ];
  gateway.host = () => undefined;
  gateway.hold = refuse(isAuthorization);
  await approved(harness, '1');
  await clock.advance(29_999);
  expect(sent()).toEqual([1, 0, 0]);
  await clock.advance(1);
  expect(sent()).toEqual([1, 1, 1]);
  expect(gateway.outcomes()[0]?.Response.Result).toBe('Failure');
  await clock.advance(3_600_000);
  expect(sent()).toEqual([1, 1, 1]);
  expect(gateway.links).toHaveLength(1);
  gateway.host = makeApprovedResponse;
  gateway.hold = () => undefined;
  await approved(harness, '2');
  expect(gateway.outcomes()[1]?.Response.Result).toBe('Success');
});

test.each<[MessageKind, number]>([
  ['AbortRequest', 120_000],
  ['TransactionStatusRequest', 120_000],
  ['AcquirerResponse', 30_000],
])(
  'a terminal refuses by name %s that it cannot read, and its payment ends by itself',
  async (kind, deadlineMs) => {
    const harness = await emulatorHarness();
    const { gateway, clock, terminal, settle } = harness;
    gateway.host = () => undefined;
    gateway.pay('1');
    await settle();
    if (kind === 'AcquirerResponse') terminal.act({ action: 'tap', card: 'visa-credit' });
    await settle();
    const refusals: string[] = [];
    for (let times = 0; times < 4; times++)
      gateway.links
        .at(-1)
        ?.send(encodeMessage(kind, { serviceId: `${times}`, poiId }, '{}'), undefined, (why) =>
          refusals.push(why),
        );
    await clock.advance(deadlineMs - 1);
    expect(refusals).toEqual(Array(4).fill(expect.stringContaining(`${kind}: `)));
    expect(gateway.outcomes()).toEqual([]);
    await clock.advance(1);
    expect(gateway.outcomes()).toMatchObject([{ Response: { Result: 'Failure' } }]);
    expect(gateway.links).toHaveLength(1);
    gateway.host = makeApprovedResponse;
    await approved(harness, '2');
    expect(gateway.outcomes()[1]?.Response.Result).toBe('Success');
  },
);
