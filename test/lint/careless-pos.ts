import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Till } from '../../gateway/dialects/adyen/till.fixture.ts';
import { probeWebhookSignatures } from '../../stack/index.ts';
import type { HttpAnswer, StackHarness } from '../stack/stack-harness.ts';

/** A shop with a point of sale: its requests, its customers and a bad network. */
export class Shop {
  readonly harness: StackHarness;
  #keys = 0;

  constructor(harness: StackHarness) {
    this.harness = harness;
  }

  newKey(): string {
    return `key-${++this.#keys}`;
  }

  /** Sells over HTTP, as a program in a shop does. */
  sells(amount: number, { key, reference }: { key?: string; reference?: string }, more: object = {}) {
    const saleData = reference === undefined ? {} : { saleData: { saleReferenceId: reference } };
    return this.harness.pay(
      amount,
      { ...saleData, ...more },
      key === undefined ? {} : { 'idempotency-key': key },
    );
  }

  asks(key: string): Promise<HttpAnswer> {
    return this.harness.http('GET', `/payment-requests/status?idempotencyKey=${key}`);
  }

  async customerTaps(): Promise<void> {
    await this.harness.until('presentCard');
    await this.harness.act('tap', { card: 'visa-credit' });
  }

  /** Resolves when the customer has paid, even if the point of sale has not got an answer. */
  async paid<Answer>(answer: Promise<Answer>): Promise<Answer | undefined> {
    await this.customerTaps();
    const heard = await answer.catch(() => undefined);
    await this.harness.until('idle');
    return heard;
  }

  async networkDoes(fault: string, path: string, more: object = {}): Promise<void> {
    const { status } = await this.harness.control('POST', '/faults', {
      fault,
      method: 'POST',
      path,
      ...more,
    });
    if (status >= 300) throw new Error(`${fault}: ${status}`);
  }

  get paymentPath(): string {
    return `/terminals/${this.harness.terminalId}/payment-request`;
  }

  async paidUnheard(key: string, reference?: string): Promise<void> {
    await this.networkDoes('dropAnswer', this.paymentPath);
    await this.paid(this.sells(5, { key, reference }));
  }

  /**
   * The customer first thinks about the tip and then looks for a card. Meanwhile the gateway answers the request with
   * 303.
   */
  async takesTooLong(key: string, reference: string): Promise<HttpAnswer> {
    const { harness } = this;
    const held = this.sells(5, { key, reference }, { gratuity: { enabled: true } });
    await harness.until('tip');
    await harness.clock.advance(50_000);
    await harness.act('press', { key: '2' });
    await harness.until('presentCard');
    await harness.clock.advance(101_000);
    const answer = await held;
    await this.customerTaps();
    await harness.until('idle');
    return answer;
  }

  /** Charges a saved card, and returns the path of the debit's refunds. */
  async chargesSavedCard(headers: Record<string, string> = {}): Promise<string> {
    const { status, body } = await this.harness.http<{ debit_id: string }>(
      'POST',
      '/contact/demo-customer/creditCards/demo-visa/charge',
      { amount: 10, statement: 'ORDER 1', to_bank_account_id: 'demo-bank-account' },
      headers,
    );
    if (status !== 200) throw new Error(`the charge: ${status} ${JSON.stringify(body)}`);
    return `/debit/${body.debit_id}/refunds`;
  }

  refunds(path: string): Promise<HttpAnswer<{ refunds: unknown[] }>> {
    return this.harness.http('POST', path, { amount: 4, reason: 'customer_request' });
  }
}

/** Adds a webhook receiver that believes every sender. */
async function believesEverybody({ harness }: Shop): Promise<void> {
  const receiver = createServer((request, response) => {
    request.resume().on('end', () => response.writeHead(204).end());
  });
  await new Promise<void>((resolve) => receiver.listen(0, '127.0.0.1', resolve));
  harness.beforeClose(() => receiver.close());
  const { port } = receiver.address() as AddressInfo;
  await harness.control('POST', '/webhooks', {
    id: 'pos',
    accountId: harness.stack.tokens[0]?.account,
    url: `http://127.0.0.1:${port}/`,
  });
  await probeWebhookSignatures({ url: harness.stack.url, controlToken: harness.stack.controlToken });
}

/** For each lint rule, a function in which a point of sale makes the mistake that the rule reports. */
export const mistakesByRule: Record<string, (shop: Shop) => Promise<void>> = {
  'blind-payment-retry': async (shop) => {
    await shop.paidUnheard(shop.newKey(), 'sale-twice');
    await shop.paid(shop.sells(5, { key: shop.newKey(), reference: 'sale-twice' }));
  },
  'unknown-outcome': async (shop) => {
    const key = shop.newKey();
    await shop.paidUnheard(key, `sale-given-up-${key}`);
  },
  'ignored-303': async (shop) => {
    await shop.takesTooLong(shop.newKey(), 'sale-303');
  },
  'stopped-asking': async (shop) => {
    const key = shop.newKey();
    await shop.networkDoes('failAnswer', shop.paymentPath);
    const headers = { 'idempotency-key': key, prefer: 'respond-async' };
    await shop.harness.pay(5, { saleData: { saleReferenceId: 'sale-asked' } }, headers);
    const asked = shop.asks(key);
    await shop.harness.settled();
    await shop.harness.clock.advance(30_000);
    await asked;
    await shop.customerTaps();
    await shop.harness.until('idle');
  },
  'abort-of-nothing': async ({ harness }) => {
    const { gateway, tokens, terminals } = harness.stack;
    const till = new Till(
      { url: gateway.url, token: tokens[0]?.token ?? '' },
      undefined,
      terminals[0]?.poiId,
    );
    await till.abort('a status');
  },
  'blind-refund-retry': async (shop) => {
    const path = await shop.chargesSavedCard();
    await shop.networkDoes('failAnswer', path);
    await shop.refunds(path);
    await shop.refunds(path);
  },
  'unverified-webhook': believesEverybody,
  'reused-key': async (shop) => {
    await shop.paid(shop.sells(5, { key: 'order-7' }));
    await shop.sells(6, { key: 'order-7' });
  },
  'refused-request': async (shop) => {
    const { harness } = shop;
    const amount = (requestedAmount: unknown) => ({
      paymentTransaction: { amountsReq: { requestedAmount } },
    });
    const key = () => ({ 'idempotency-key': shop.newKey() });
    await harness.http('POST', shop.paymentPath, amount('12.50'), key());
    await harness.http('POST', shop.paymentPath, amount(12.505), key());
    await harness.http('POST', shop.paymentPath, amount(1), { ...key(), authorization: 'Bearer wrong' });
    await harness.http('POST', '/terminals/V400m-1/payment-request', amount(1), key());
    await harness.http('PUT', shop.paymentPath, amount(1));
  },
  'missing-key': async (shop) => {
    await shop.paid(shop.sells(5, { reference: 'sale-keyless' }));
  },
  'short-timeout': async (shop) => {
    const [key, timeout] = [shop.newKey(), new AbortController()];
    const body = { paymentTransaction: { amountsReq: { requestedAmount: 5 } } };
    const headers = { 'idempotency-key': key };
    const sold = shop.harness.http('POST', shop.paymentPath, body, headers, timeout.signal).catch(() => {});
    await shop.harness.until('presentCard');
    await shop.harness.clock.advance(30_000);
    const hungUp = journaled(shop, 'http.hungUp');
    timeout.abort();
    await Promise.all([sold, hungUp]);
    await shop.customerTaps();
    await shop.harness.until('idle');
    await shop.asks(key);
  },
  'unhonoured-key': async (shop) => {
    await shop.chargesSavedCard({ 'idempotency-key': shop.newKey() });
  },
  'card-number-sent': async (shop) => {
    await shop.paid(shop.sells(5, { key: shop.newKey(), reference: '4111 1111 1111 1111' }));
  },
  'fast-polling': async (shop) => {
    const { harness } = shop;
    const [key, headers] = [shop.newKey(), { prefer: 'respond-async' }];
    await harness.pay(5, {}, { ...headers, 'idempotency-key': key });
    for (let times = 0; times < 3; times++) {
      const asked = shop.asks(key);
      await harness.settled();
      await harness.clock.advance(30_000);
      await asked;
    }
    await shop.customerTaps();
    await harness.until('idle');
    await harness.clock.advance(1_000);
    await shop.asks(key);
  },
  'unknown-field': async (shop) => {
    await shop.paid(shop.sells(5, { key: shop.newKey() }, { saleReference: 'misspelt' }));
  },
};

function journaled({ harness }: Shop, kind: string): Promise<void> {
  return new Promise((resolve) => {
    const stop = harness.stack.runtime.journal.listen((entry) => {
      if (entry.kind !== kind) return;
      stop();
      resolve();
    });
  });
}
