import { afterAll, beforeAll, expect, test } from 'vitest';
import { SavedCardsHarness } from './saved-cards-harness.fixture.ts';

let harness: SavedCardsHarness;
let debitId: string;
let heldId: string;
const tokens: Record<string, string> = {};

/**
 * Callers that must not see this account's data. One caller belongs to another account, and the other one to another
 * environment of the same account. Both callers have data of their own. More tests of this kind are in
 * test/tenancy.test.ts, which calls all endpoints.
 */
const strangers = ['other', 'production'] as const;

beforeAll(async () => {
  harness = await SavedCardsHarness.start();
  const { accounts, contacts, tokens: tokenService } = harness.gateway;
  await accounts.createAccount({ id: 'rival', name: 'Rival', currency: 'EUR', cardOnFile: true });
  for (const [prefix, accountId, environment] of [
    ['other', 'rival', 'sandbox'],
    ['production', 'shop', 'production'],
  ] as const) {
    const owner = { accountId, environment };
    await contacts.createContact({ ...owner, id: `${prefix}-contact`, name: 'Kim' });
    await contacts.createCard(`${prefix}-contact`, { id: `${prefix}-card`, card: 'visa' });
    await contacts.createBankAccount({ ...owner, id: `${prefix}-bank`, name: 'Bank' });
    tokens[prefix] = (await tokenService.createToken(owner)).token ?? '';
  }
  debitId = await harness.paid(10);
  heldId = (await harness.preauthorize(10)).body.debit_id;
});
afterAll(() => harness.stop());

const body = (bank: string) => ({ amount: 1, to_bank_account_id: bank, statement: 'ORDER 1' });
const refund = { amount: 1, reason: 'customer_request' };

test('a terminal payment of another account is not found by the refund endpoints', async () => {
  const { terminals } = harness.gateway;
  const store = await terminals.createStore({ accountId: 'shop', name: 'Shop' });
  const terminal = await terminals.createTerminal({ poiId: 'V400m-1', storeId: store.id });
  const payment = await harness.api(
    'POST',
    `/terminals/${terminal.id}/payment-request`,
    { paymentTransaction: { amountsReq: { requestedAmount: 10 } } },
    { headers: { prefer: 'respond-async' } },
  );
  const path = `/debit/${payment.body.identifier}/refunds`;
  expect((await harness.api('POST', path, refund)).status).toBe(422);
  for (const stranger of strangers)
    expect((await harness.api('POST', path, refund, { token: tokens[stranger] ?? '' })).status).toBe(404);
});

test('a second account can use everything of its own, in production too, and takes nothing from the shop (B6)', async () => {
  for (const stranger of strangers) {
    const path = `/contact/${stranger}-contact/creditCards/${stranger}-card/charge`;
    const reply = await harness.api('POST', path, body(`${stranger}-bank`), {
      token: tokens[stranger] ?? '',
    });
    expect(reply.status).toBe(200);
  }
  expect(await harness.summary(debitId)).toMatchObject({ refundable_amount: 10 });
  expect(await harness.explain(heldId)).toMatchObject({ state: 'preauthorized' });
  const events = await harness.gateway.events.list({ limit: 100 });
  expect(events.map(({ accountId, environment }) => `${accountId} ${environment}`).reverse()).toEqual([
    'shop sandbox',
    'shop sandbox',
    'rival sandbox',
    'shop production',
  ]);
});
