import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, onTestFinished } from 'vitest';
import { CustomerBrowser } from '../../gateway/credits/customer.fixture.ts';
import { loadOpenapiDocument } from '../../gateway/index.ts';
import { hasNats } from '../nats-server.ts';
import { testThoroughly } from '../optional-programs.ts';
import { ownCard } from '../own-card.ts';
import { prepareDatabasesForFile } from '../postgres-for-file.ts';
import { hasPostgres } from '../postgres-programs.ts';
import { Caller } from './caller.ts';
import { type ThreeGateways, threeGateways } from './three-gateways.ts';
import { emulate } from './two-gateways.ts';

const testInCi = testThoroughly();

interface Terminal {
  id: string;
  poiId: string;
  deviceKey: string;
}

const accountId = 'shop';
const iban = { kind: 'iban', iban: 'DE89 3704 0044 0532 0130 00' };

/** Each request reads at one gateway what the previous request caused at another gateway. */
describe.runIf(hasPostgres() && hasNats())('every operation of the OpenAPI document', () => {
  const postgres = prepareDatabasesForFile();

  testInCi('succeeds behind a balancer that sends each request to the next of three gateways', async () => {
    const three = await threeGateways(await (await postgres()).newGatewaysUrl());
    onTestFinished(() => three.close());
    const caller = new Caller(three);
    const { tokenId, storeId } = await provision(caller);
    const terminals: Terminal[] = [];
    for (const poiId of ['V400m-1', 'V400m-2'])
      terminals.push(await caller.call('POST /control/terminals', {}, { poiId, storeId }));
    await numberTerminals(caller, storeId);
    await emulate(three, terminals);
    await payAtATerminal(caller, terminals[0] as Terminal);
    await disturb(caller, terminals[1] as Terminal);
    await hearOfEvents(caller, async () => {
      await chargeAndRefund(caller);
      await payOut(caller, three.url);
    });
    await loseAnswers(caller);
    await believe(caller, three.gateways);
    await lookAtAll(caller);
    const { id: terminalId } = terminals[1] as Terminal;
    await caller.call('DELETE /control/terminals/{terminalId}', { terminalId });
    await caller.call('DELETE /control/tokens/{tokenId}', { tokenId });
    await caller.call('POST /control/clock/wait', {}, { ms: 1 });
    // these operations are refused, because the gateways use the database's clock
    for (const [operation, body] of [
      ['POST /control/clock/advance', { ms: 1 }],
      ['POST /control/clock/hold', { name: 'debugger' }],
      ['POST /control/clock/release', { name: 'debugger' }],
    ] as const)
      expect((await caller.fetch(operation, {}, body)).status, operation).toBe(409);
    expect((await operations()).filter((operation) => !caller.called.has(operation))).toEqual([]);
  });
});

async function operations(): Promise<string[]> {
  const { paths } = (await loadOpenapiDocument()) as { paths: Record<string, object> };
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.keys(methods).map((method) => `${method.toUpperCase()} ${path}`),
  );
}

async function provision(caller: Caller): Promise<{ tokenId: string; storeId: string }> {
  await caller.call('POST /control/accounts', {}, { id: accountId, name: 'Shop', currency: 'EUR' });
  await caller.call('PATCH /control/accounts/{accountId}', { accountId }, { cardOnFile: true });
  const question = { question: 'What colour is our shop?', answer: 'blue' };
  await caller.call('PUT /control/accounts/{accountId}/security-question', { accountId }, question);
  const { id: tokenId, token } = await caller.call('POST /control/tokens', {}, { accountId });
  caller.token = token;
  const { id: storeId } = await caller.call('POST /control/stores', {}, { accountId, name: 'Shop' });
  await caller.call('POST /control/bank-accounts', {}, { id: 'bank', accountId, name: 'Bank' });
  await caller.call('POST /control/contacts', {}, { id: 'robin', accountId, name: 'Robin' });
  const card = { contactId: 'robin', cardId: 'saved' };
  await caller.call('POST /control/contacts/{contactId}/credit-cards', card, {
    id: 'saved',
    card: 'declined',
  });
  await caller.call('PATCH /control/contacts/{contactId}/credit-cards/{cardId}', card, { card: 'visa' });
  return { tokenId, storeId };
}

async function numberTerminals(caller: Caller, storeId: string): Promise<void> {
  const operation = 'POST /control/stores/{storeId}/terminals';
  const deviceKeys = ['dev_one-that-is-made', 'dev_another-that-is-made'];
  const made = await caller.call(operation, { storeId }, { deviceKeys });
  expect(await caller.call(operation, { storeId }, { deviceKeys })).toEqual(made);
  for (const { id: terminalId } of made)
    await caller.call('DELETE /control/terminals/{terminalId}', { terminalId });
}

/** Plays a shop's staff and customers at a terminal, and the POS that requests their payments. */
class Till {
  readonly #caller: Caller;
  readonly #at: { terminalId: string };

  constructor(caller: Caller, { id: terminalId }: Terminal) {
    this.#caller = caller;
    this.#at = { terminalId };
  }

  /** Calls an operation of this terminal. */
  call(operation: string, body?: object) {
    const [method, path = ''] = operation.split(' ');
    const whole = path.startsWith('/terminals') ? path : `/control/terminals/{terminalId}/${path}`;
    return this.#caller.call(`${method} ${whole}`, this.#at, body);
  }

  until(state: string) {
    return this.call(`GET screen?until=${state}`);
  }

  /** Requests a payment and resolves to its outcome. */
  async pay(more: object = {}): Promise<string> {
    await this.until('idle');
    const request = {
      paymentTransaction: { amountsReq: { requestedAmount: 10 } },
      gratuity: { enabled: false },
    };
    const paid = await this.call('POST /terminals/{terminalId}/payment-request', { ...request, ...more });
    return paid.response.errorCondition ?? paid.response.result;
  }
}

const decline = {
  outcome: {
    type: 'decline',
    errorCondition: 'Refusal',
    refusalReason: '210 Not enough balance',
    message: 'NOT_ENOUGH_BALANCE',
  },
};

async function payAtATerminal(caller: Caller, terminal: Terminal): Promise<void> {
  const till = new Till(caller, terminal);
  await till.until('idle');
  expect(await caller.call('GET /terminals')).toHaveLength(2);
  const byChip = till.pay({ gratuity: { enabled: true } });
  await till.until('tip');
  await till.call('POST press', { key: '1' });
  await till.call('POST insert', { card: 'visa-credit' });
  await till.call('POST press', { keys: ['1', '2', '3', '4', 'enter'] });
  expect(await byChip).toBe('success');
  await till.until('removeCard');
  await till.call('POST remove');
  for (const [action, body] of [
    ['tap', { card: 'visa-credit' }],
    ['swipe', { card: 'stripe-only' }],
    ['key-in', { card: 'visa-credit' }],
  ] as const) {
    const paying = till.pay();
    await till.until('presentCard');
    await till.call(`POST ${action}`, body);
    expect(await paying, action).toBe('success');
  }
  expect(await till.call('GET receipts')).toHaveLength(8);

  const last = await till.call('GET /terminals/{terminalId}/payment-request');
  const at = { paymentId: last.identifier };
  expect(await caller.call('GET /control/payments/{paymentId}', at)).toMatchObject({ answer: last });
  expect(await caller.call(`GET /payment-requests/status?transactionId=${last.identifier}`)).toEqual(last);
  expect(await caller.call(`GET /control/ledger?payment=${last.identifier}`)).toHaveLength(1);

  await till.until('idle');
  await till.call('PUT outcome', decline);
  await till.call('DELETE outcome');
  await till.call('PUT outcome', decline);
  await till.call('PUT shopper', { card: 'visa-credit', entry: 'Contactless' });
  expect(await till.pay()).toBe('refusal');
  const given = { amount: 1, wait: true };
  await till.until('idle');
  expect(await till.call('POST refund', { ...given, payment: last.identifier })).toMatchObject({
    original: last.identifier,
    result: 'success',
  });
  expect(await till.call('POST refund', given)).toMatchObject({ kind: 'refund', result: 'success' });
  await till.call('DELETE shopper');
  await abortedPayments(caller, till);
}

async function abortedPayments(caller: Caller, till: Till): Promise<void> {
  const byTerminal = till.pay();
  await till.until('presentCard');
  const [{ identifier: paymentId, state }] = await caller.call('GET /control/payments?limit=1');
  expect(state).toBe('onTerminal');
  await caller.call('PUT /control/payments/{paymentId}/outcome', { paymentId }, decline);
  await caller.call('DELETE /control/payments/{paymentId}/outcome', { paymentId });
  await till.call('POST /terminals/{terminalId}/payment-request/abort');
  expect(await byTerminal).toBe('aborted');
  const byIdentifier = till.pay();
  await till.until('presentCard');
  const [{ identifier: transactionId }] = await caller.call('GET /control/payments?limit=1');
  await caller.call('POST /payment-requests/abort', {}, { transactionId });
  expect(await byIdentifier).toBe('aborted');
}

/** Disturbs a terminal in every way. It waits after each disturbance until the terminal is back. */
async function disturb(caller: Caller, terminal: Terminal): Promise<void> {
  const till = new Till(caller, terminal);
  await till.until('idle');
  await till.call('PUT power-cut', { at: 'resultStored' });
  await till.call('DELETE power-cut');
  const pin = { moment: 'pin' };
  await caller.call('PUT /control/moments/{moment}', pin, { action: 'powerOff', terminal: terminal.poiId });
  await caller.call('GET /control/moments');
  await caller.call('POST /control/moments/continue');
  await caller.call('DELETE /control/moments/{moment}', pin);
  await caller.call('DELETE /control/moments');
  await till.call('POST latency', { latencyMs: 1 });
  await till.call('POST latency', { latencyMs: 0 });
  await till.call('POST flap', { times: 1, downMs: 1, upMs: 1 });
  await till.until('idle');
  await till.call('POST network', { up: false });
  await till.call('POST network', { up: true });
  await till.call('POST power', { on: false });
  await till.call('POST power', { on: true });
  await till.until('idle');
  const { poiId: terminalId } = terminal;
  await caller.call('PATCH /control/terminals/{terminalId}', { terminalId }, { magicAmounts: false });
  expect(await caller.call('GET /control/terminals/{terminalId}', { terminalId })).toMatchObject({
    magicAmounts: false,
  });
}

/** Checks the deliveries of a webhook for events that `happen` causes. */
async function hearOfEvents(caller: Caller, happen: () => Promise<void>): Promise<void> {
  const receiver = createServer((_request, answer) => void answer.end());
  await new Promise<void>((listening) => receiver.listen(0, '127.0.0.1', listening));
  onTestFinished(() => void receiver.close());
  const url = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}`;
  const { id: webhookId } = await caller.call('POST /control/webhooks', {}, { accountId, url });
  const at = { webhookId };
  await caller.call('POST /control/webhooks/{webhookId}/rotate-secret', at, {});
  await caller.call('POST /control/webhooks/{webhookId}/probe', at);
  await happen();
  const deliveries = (state: string) => caller.call(`GET /control/webhook-deliveries?state=${state}`);
  await expect.poll(() => deliveries('pending'), { timeout: 60_000 }).toEqual([]);
  const [{ id: deliveryId }] = await deliveries('delivered');
  await caller.call('POST /control/webhook-deliveries/{deliveryId}/replay', { deliveryId });
  await caller.call('PATCH /control/webhooks/{webhookId}', at, { types: ['payments.debits.paid'] });
  expect(await caller.call('GET /control/webhooks/{webhookId}', at)).toMatchObject({
    types: ['payments.debits.paid'],
  });
  await caller.call('DELETE /control/webhooks/{webhookId}', at);
  expect(await caller.call('GET /control/webhooks')).toEqual([]);
}

async function chargeAndRefund(caller: Caller): Promise<void> {
  const card = { contact_id: 'robin', credit_card_id: 'saved' };
  const debit = { amount: 25, to_bank_account_id: 'bank', statement: 'ORDER 1' };
  const make = async (how: 'charge' | 'preauthorize') => {
    const path = `POST /contact/{contact_id}/creditCards/{credit_card_id}/${how}`;
    return { debit_id: (await caller.call(path, card, debit)).debit_id as string };
  };
  const control = (operation: string, debitId: string, body?: object) =>
    caller.call(`${operation.replace(' ', ' /control/debits/{debitId}')}`, { debitId }, body);

  const charged = await make('charge');
  const refund = async (amount: number) => {
    const body = { amount, reason: 'customer_request' };
    return { refundId: (await caller.call('POST /debit/{debit_id}/refunds', charged, body)).id as string };
  };
  await caller.call('POST /control/refunds/{refundId}/submit', await refund(5));
  await caller.call('POST /control/refunds/{refundId}/fail', await refund(6), {});
  await control('PUT /blocked-refunds', charged.debit_id, { amount: 5, reason: 'disputed' });
  await control('POST /close-refunds', charged.debit_id, { reason: 'charged back' });
  expect(await caller.call('GET /debit/{debit_id}/refunds', charged)).toMatchObject({
    submitted_refund_amount: 5,
    blocked_refund_amount: 5,
  });

  const captured = await make('preauthorize');
  await caller.call('POST /debit/{debit_id}/capture', captured);
  expect(await control('GET ', captured.debit_id)).toMatchObject({ state: 'paid' });
  await control('POST /expire', (await make('preauthorize')).debit_id);
}

async function payOut(caller: Caller, url: string): Promise<void> {
  const order = { amount: 10, statement: 'REFUND 1', from_bank_account: 'bank', contact_id: 'robin' };
  const make = async () => caller.call('PUT /credit', {}, order);
  const end = async (how: string, body?: object) =>
    caller.call(`POST /control/credits/{creditId}/${how}`, { creditId: (await make()).identifier }, body);
  await end('accept', iban);
  await end('refuse', { reason: 'the account is closed' });
  await end('expire');

  const { identifier: creditId, link } = await make();
  const customer = await new CustomerBrowser(url + new URL(link).pathname).open();
  await customer.submit('answer', { answer: 'blue' });
  await customer.submit('bank', iban);
  await customer.submit('accept');
  caller.called.add('GET /pay/{token}').add('POST /pay/{token}');
  expect(await caller.call('GET /control/credits/{creditId}', { creditId })).toMatchObject({
    state: 'completed',
  });
}

/** Sets faults at one gateway, and checks that they affect requests at all gateways. */
async function loseAnswers(caller: Caller): Promise<void> {
  const fault = { fault: 'failAnswer', path: '/terminals', status: 503 };
  await caller.call('POST /control/faults', {}, fault);
  expect((await caller.fetch('GET /terminals')).status).toBe(503);
  const { id: faultId } = await caller.call('POST /control/faults', {}, fault);
  await caller.call('DELETE /control/faults/{faultId}', { faultId });
  await caller.call('POST /control/faults', {}, fault);
  await caller.call('DELETE /control/faults');
  expect(await caller.call('GET /control/faults')).toEqual([]);
}

/**
 * Sends the same belief of the shop about a sale twice: first to the control API, and then to the address that a
 * gateway made for beliefs.
 */
async function believe(caller: Caller, gateways: ThreeGateways['gateways']): Promise<void> {
  const { sales } = await caller.call('GET /control/sales');
  const { saleId, attempts } = sales.find(
    ({ kind, outcome }: Record<string, string>) => kind === 'payment' && outcome === 'success',
  );
  const belief = { accountId, payment: attempts[0].payment, believes: 'paid' };
  expect(await caller.call('POST /control/beliefs', {}, belief)).toMatchObject({ saleId });
  expect(await caller.call('GET /control/sales/{saleId}', { saleId })).toMatchObject({ saleId });
  const body = JSON.stringify({ payment: belief.payment, believes: 'paid' });
  const headers = { 'content-type': 'application/json' };
  const address = gateways[1]?.beliefsUrl(accountId) ?? '';
  const stated = await fetch(address, { method: 'POST', headers, body });
  expect(stated.ok, await stated.text()).toBe(true);
  caller.called.add('POST /beliefs/{secret}');
  await caller.stream('GET /control/sales/stream?recent=1');
}

async function lookAtAll(caller: Caller): Promise<void> {
  await caller.call('POST /control/cards', {}, ownCard);
  await caller.call('POST /control/cards/{cardId}/reset', { cardId: 'mine' });
  await caller.call('POST /control/console-links');
  await caller.call('GET /control/contacts/{contactId}', { contactId: 'robin' });
  await caller.call('GET /control/accounts/{accountId}/tokens', { accountId });
  for (const what of ['accounts', 'stores', 'terminals', 'contacts', 'bank-accounts', 'debits', 'credits'])
    expect(await caller.call(`GET /control/${what}`), what).not.toEqual([]);
  for (const what of ['cards', 'test-cards', 'outcomes', 'events', 'clock', 'journal', 'findings'])
    await caller.call(`GET /control/${what}`);
  for (const path of ['/control', '/health', '/openapi.json']) await caller.call(`GET ${path}`);
  await caller.stream('GET /control/journal/stream');
  await caller.stream('GET /control/events/stream');
  expect(await caller.call('GET /control/books')).toMatchObject({ agree: true, open: 0, differences: [] });
}
