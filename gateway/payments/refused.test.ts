import { afterEach, expect, test } from 'vitest';
import type { AcquirerRequest } from '../../shared/nexo/acquirer.ts';
import type { Message, MessageKind } from '../../shared/nexo/message.ts';
import { hour, PaymentsHarness } from './payments-harness.fixture.ts';
import { makeAuthorizeRequest, type TestTerminal } from './test-terminal.fixture.ts';

/**
 * The tests of this file send messages that are neither payment requests nor answers to them. The terminal or the
 * gateway refuses these messages as unreadable (B67). The payment ends, and nothing waits forever.
 */

let harness: PaymentsHarness;
afterEach(() => harness.stop());

const second = 1_000;
const deviceOut = { result: 'failure', errorCondition: 'deviceOut' };
type Request = Extract<Message, { kind: 'PaymentRequest' }>;

async function onTheTerminal(cannotRead?: MessageKind) {
  harness = await PaymentsHarness.start();
  const terminal = harness.terminal();
  terminal.cannotRead = ({ kind }) => kind === cannotRead;
  await terminal.connect();
  const { identifier } = (await harness.pay(25, { key: 'k', headers: { prefer: 'respond-async' } })).body;
  return { terminal, request: await terminal.next('PaymentRequest'), identifier };
}

async function paysNext(terminal: TestTerminal): Promise<void> {
  const next = harness.pay(30);
  await terminal.pay();
  expect((await next).body.response).toMatchObject({ result: 'success' });
}

/**
 * A case in which the terminal or the gateway refuses a message. `happens` causes the message once. Meanwhile the clock
 * advances by `tookMs`. `ledger` names the entries that the ledger has at the end.
 */
interface Case {
  happens(terminal: TestTerminal, request: Request): Promise<void> | void;
  tookMs?: number;
  ledger?: string[];
}

async function abortInVain(): Promise<void> {
  const aborting = harness.call('POST', '/payment-requests/abort', { body: { idempotencyKey: 'k' } });
  await harness.seen('payment.abortRequested');
  await harness.clock.advance(30 * second);
  expect(await aborting).toMatchObject({ status: 504, body: { error: 'terminalUnreachable' } });
}

async function loseLink(terminal: TestTerminal): Promise<void> {
  terminal.link?.close();
  await harness.seen('payment.lost');
  await terminal.connect();
}

const askHost = (terminal: TestTerminal, request: Request) =>
  terminal.send('AcquirerRequest', request.header.ServiceID, makeAuthorizeRequest(request.body));

test.each<[string, MessageKind, Case]>([
  ['an AbortRequest', 'AbortRequest', { happens: abortInVain, tookMs: 30 * second }],
  ['a TransactionStatusRequest past the cap', 'TransactionStatusRequest', { happens() {} }],
  ['a TransactionStatusRequest on a new link', 'TransactionStatusRequest', { happens: loseLink }],
  ["the host's answer", 'AcquirerResponse', { happens: askHost, ledger: ['authorized', 'reversed'] }],
])(
  '%s that the terminal cannot read is sent once, its payment ends at its deadline, and the next succeeds',
  async (_, refused, { happens, tookMs = 0, ledger = ['closed'] }) => {
    const { terminal, request, identifier } = await onTheTerminal(refused);
    const sent = () => terminal.received.filter(({ kind }) => kind === refused).length;
    await happens(terminal, request);
    await harness.clock.advance(190 * second - tookMs - 1);
    expect(sent()).toBe(1);
    expect(harness.journal('payment.concluded')).toEqual([]);
    await harness.clock.advance(1);
    expect((await harness.status(identifier)).body.response).toMatchObject(deviceOut);
    const entries = (await harness.services.explanations.explain(identifier)).ledger;
    expect(entries.map(({ kind }) => kind)).toEqual(ledger);
    expect(harness.journal('warning').map(({ data }) => data.message)).toEqual([
      expect.stringMatching(`^the terminal cannot read ${refused} \\w+: ${refused} cannot be read$`),
    ]);
    await harness.clock.advance(hour);
    expect(sent()).toBe(1);
    expect(terminal.closed).toBeUndefined();
    terminal.cannotRead = () => false;
    await paysNext(terminal);
    expect(await harness.booksAgree()).toMatchObject({ agree: true, open: 0 });
  },
);

test('a terminal that cannot read an AbortRequest can end its payment in its own way', async () => {
  const { terminal, request, identifier } = await onTheTerminal('AbortRequest');
  await abortInVain();
  await terminal.authorize(request);
  terminal.approve(request);
  await harness.seen('payment.concluded');
  expect((await harness.status(identifier)).body.response).toMatchObject({ result: 'success' });
});

const refuseAuthorizations = async (terminal: TestTerminal, { header, body }: Request) => {
  for (let times = 0; times < 4; times++) {
    const unreadable = { ...makeAuthorizeRequest(body), TotalAmount: 'much' } as unknown as AcquirerRequest;
    terminal.send('AcquirerRequest', header.ServiceID, unreadable);
  }
  await harness.settle();
  expect(harness.journal('warning')).toHaveLength(4);
  expect(terminal.closed).toBeUndefined();
};

test('authorizations that the gateway cannot read move no money, and a later one that it can read decides', async () => {
  const { terminal, request, identifier } = await onTheTerminal();
  await refuseAuthorizations(terminal, request);
  expect((await harness.services.explanations.explain(identifier)).ledger).toEqual([]);
  expect(await terminal.authorize(request)).toMatchObject({ Approved: true });
  terminal.approve(request);
  await harness.seen('payment.concluded');
  expect((await harness.status(identifier)).body.response).toMatchObject({ result: 'success' });
});

test('a payment whose authorizations the gateway cannot read ends at its deadline, and the next succeeds', async () => {
  const { terminal, request, identifier } = await onTheTerminal();
  await refuseAuthorizations(terminal, request);
  await harness.clock.advance(190 * second);
  expect((await harness.status(identifier)).body.response).toMatchObject(deviceOut);
  expect(terminal.closed).toBeUndefined();
  await paysNext(terminal);
  expect(await harness.booksAgree()).toMatchObject({ agree: true, open: 0 });
});
