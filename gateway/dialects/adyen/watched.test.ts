import { afterEach, expect, onTestFinished, test } from 'vitest';
import { createRuntime } from '../../../shared/create-runtime.ts';
import { lintJournal } from '../../../shared/lint/lint-journal.ts';
import type { Sale } from '../../../shared/sales/sale.ts';
import { VirtualClock } from '../../../shared/virtual-clock.ts';
import { minute, PaymentsHarness } from '../../payments/payments-harness.fixture.ts';
import { Receiver } from '../../webhooks/receiver.fixture.ts';
import { makePaymentTillMessage, Till } from './till.fixture.ts';

let harness: PaymentsHarness;
let realClock: VirtualClock;
afterEach(() => harness.stop());

const control = { token: 'control-token-of-test' };
const once = { after: 0, times: 1 };
const sold = { SaleTransactionID: { TransactionID: '27908', TimeStamp: '2026-01-01T00:00:00Z' } };

async function start() {
  realClock = new VirtualClock({ startMs: 0 });
  const runtime = createRuntime({ clock: 'virtual', seed: 7, realClock });
  harness = await PaymentsHarness.start({ adyen: true, lint: true, runtime });
  return { till: new Till(harness), terminal: await harness.terminal().connect() };
}

async function sales(): Promise<Sale[]> {
  return ((await harness.call('GET', '/control/sales', control)).body as never as { sales: Sale[] }).sales;
}

async function findings(): Promise<{ rule: string; what: string; fix: string }[]> {
  await realClock.advance(20_000);
  await harness.clock.advance(2 * minute);
  const { body } = await harness.call('GET', '/control/findings', control);
  return (body as never as { findings: { rule: string; what: string; fix: string }[] }).findings;
}

test('the messages of a till are the calls of its sale, and the sale counts as told once its answer is sent', async () => {
  const { till, terminal } = await start();
  const paying = till.pay('1', 25, { sale: sold });
  const request = await terminal.next('PaymentRequest');
  await till.status('1');
  await terminal.authorize(request);
  terminal.approve(request);
  await paying;
  await till.status('1');
  await till.abort('1');
  await till.status('2');
  const [unknown, sale, ...others] = await sales();
  expect(others).toEqual([]);
  expect(sale).toMatchObject({
    terminal: 'V400m-1',
    saleReferenceId: 'POS1 27908',
    idempotencyKey: 'adyen 1 V400m-1 POS1',
    amount: 25,
    callsText: 'POST, status InProgress, status, abort',
    outcomeText: 'approved',
    charged: 25,
    told: 'told',
  });
  expect(unknown).toMatchObject({ callsText: 'status NotFound', outcome: 'refused' });
  expect(await findings()).toEqual([]);
});

test('a declined payment counts as told, and so does a terminal without a link', async () => {
  const { till, terminal } = await start();
  const paying = till.pay('1', 25, { sale: sold });
  terminal.refuse(await terminal.next('PaymentRequest'), 'Refusal');
  await paying;
  terminal.link?.close(1000, 'test');
  await harness.seen('link.closed');
  await till.pay('2', 25, { sale: sold });
  const [sale] = await sales();
  expect(sale).toMatchObject({ callsText: 'POST ×2', charged: 0, told: 'told' });
  expect(await findings()).toEqual([]);
});

test('a second ServiceID for a sale whose outcome is unknown to the POS is found, with advice in terms of nexo', async () => {
  const { till, terminal } = await start();
  await harness.services.faults.add({ fault: 'dropAnswer', ...once });
  const lost = till.pay('1', 25, { sale: sold }).catch(() => 'lost');
  await terminal.pay();
  expect(await lost).toBe('lost');
  const again = till.pay('2', 25, { sale: sold });
  await terminal.pay();
  await again;
  const [sale] = await sales();
  expect(sale).toMatchObject({ callsText: 'POST lost, POST', outcomeText: 'approved ×2', charged: 50 });
  const [found] = await findings();
  expect(found).toMatchObject({
    rule: 'blind-payment-retry',
    what: expect.stringContaining('the customer paid twice: sale POS1 27908 was requested again'),
    fix: expect.stringContaining('TransactionStatus'),
  });
  expect(found?.what).toContain('the ServiceID 2');
});

test('a reversal that asks for too much is not mistaken for a ServiceID used again (B491)', async () => {
  const { till, terminal } = await start();
  const paying = till.pay('1', 25, { sale: sold });
  const request = await terminal.next('PaymentRequest');
  const { PspReference } = await terminal.authorize(request);
  terminal.approve(request);
  await paying;
  await till.reverse('2', PspReference, { amount: 26 });
  expect((await findings()).filter(({ rule }) => rule === 'reused-key')).toEqual([]);
});

test('a repeated ServiceID with another body is found', async () => {
  const { till, terminal } = await start();
  const paying = till.pay('1', 25);
  await terminal.pay();
  await paying;
  await till.pay('1', 26);
  expect(await findings()).toMatchObject([
    { rule: 'reused-key', what: 'the ServiceID 1 came a second time with another body or terminal' },
  ]);
});

test.each([
  ['gives up after the Reject event of the cap', 'ignored-303', 'was answered with Reject'],
  ['asks once, and stops while it is in progress', 'stopped-asking', 'got InProgress'],
])('a till that %s is found', async (_, rule, what) => {
  const { till, terminal } = await start();
  const paying = till.pay('1', 25, { sale: sold });
  const request = await terminal.next('PaymentRequest');
  await harness.clock.advance(150_000);
  await paying;
  if (rule === 'stopped-asking') await till.status('1');
  await terminal.authorize(request);
  terminal.approve(request);
  await harness.seen('payment.concluded');
  expect(await findings()).toMatchObject([{ rule, what: expect.stringContaining(what) }]);
});

test.each([
  ['takes', '[accepted]', []],
  ['does not take', 'thanks', ['stopped-asking']],
])(
  'a till that stops asking while the payment is in progress, and %s the result it is sent, is judged by that',
  async (_, says, rules) => {
    const { till, terminal } = await start();
    const receiver = await Receiver.start(() => (response) => void response.writeHead(200).end(says));
    onTestFinished(() => receiver.close());
    const results = {
      id: 'results',
      accountId: 'shop',
      url: receiver.url,
      types: ['adyen.results' as const],
    };
    await harness.services.webhooks.create(results);
    await till.send(makePaymentTillMessage('1', 25, { sale: sold }), '/async');
    const request = await terminal.next('PaymentRequest');
    await till.status('1');
    await terminal.authorize(request);
    terminal.approve(request);
    await harness.seen('webhook.attempted');
    expect((await findings()).map(({ rule }) => rule)).toEqual(rules);
    expect(lintJournal(harness.runtime.journal.since()).map(({ rule }) => rule)).toEqual(rules);
  },
);

test('an abort that names a status instead of its payment is found', async () => {
  const { till, terminal } = await start();
  const paying = till.pay('1', 25, { sale: sold });
  const request = await terminal.next('PaymentRequest');
  await till.status('1');
  await till.abort('status');
  terminal.refuse(request, 'Cancel');
  await paying;
  expect(await findings()).toMatchObject([
    { rule: 'abort-of-nothing', what: 'POST /sync aborts the ServiceID status, which is not a payment' },
  ]);
});

test('a till that stops asking after a status call got an HTTP error is found', async () => {
  const { till, terminal } = await start();
  await harness.services.faults.add({ fault: 'dropAnswer', asks: 'payment', ...once });
  await harness.services.faults.add({ fault: 'failAnswer', asks: 'status', status: 503, ...once } as never);
  const lost = till.pay('1', 25, { sale: sold }).catch(() => 'lost');
  await terminal.pay();
  expect(await lost).toBe('lost');
  expect((await till.status('1')).status).toBe(503);
  expect(await findings()).toMatchObject([
    { rule: 'stopped-asking', what: expect.stringContaining('a 503') },
  ]);
});

test('a wrong message counts as a refused request, with the reason in its answer', async () => {
  const { till } = await start();
  await till.pay('1', 0);
  await till.send({ no: 'message' });
  expect((await findings()).map(({ rule, what }) => `${rule}: ${what}`)).toEqual([
    'refused-request: POST /sync was refused with MessageFormat',
    'refused-request: POST /sync was refused with Reject',
  ]);
});

test("a stated belief names its sale by the till and the till's transaction", async () => {
  const { till, terminal } = await start();
  const paying = till.pay('1', 25, { sale: sold });
  await terminal.pay();
  await paying;
  const body = { saleReferenceId: 'POS1 27908', believes: 'notPaid' };
  const { status } = await harness.call('POST', '/control/beliefs', { ...control, body });
  expect(status).toBeLessThan(300);
  expect(await findings()).toMatchObject([{ rule: 'wrong-belief' }]);
});
