import { afterEach, beforeEach, expect, test } from 'vitest';
import { ApiError } from '../http/errors.ts';
import { SavedCardsHarness } from '../saved-cards/saved-cards-harness.fixture.ts';

/**
 * The tests of this file send two requests about the same thing at once. The request that is handled second must find
 * what the first request changed.
 */

let harness: SavedCardsHarness;
beforeEach(async () => {
  harness = await SavedCardsHarness.start();
  await harness.control('POST', '/control/accounts', { id: 'other', name: 'Other', currency: 'EUR' });
});
afterEach(() => harness.stop());

/**
 * Calls functions in the same turn of the event loop. This test does not use HTTP, because requests over HTTP would
 * arrive one after the other.
 */
async function atOnce<Result>(...calls: (() => Promise<Result>)[]): Promise<(Result | string)[]> {
  const settled = await Promise.allSettled(calls.map((call) => call()));
  return settled.map((each) => (each.status === 'fulfilled' ? each.value : errorOf(each.reason)));
}
const errorOf = (error: unknown) => (error instanceof ApiError ? error.code : String(error));
const owner = { shop: { accountId: 'shop' }, other: { accountId: 'other' } };
const storeId = '019b0000-0000-7000-8000-00000000000a';

const making = {
  store: (of: object) => harness.gateway.terminals.createStore({ id: storeId, name: 'Shop', ...of } as never),
  contact: (of: object) => harness.gateway.contacts.createContact({ id: 'one', name: 'One', ...of } as never),
  bankAccount: (of: object) =>
    harness.gateway.contacts.createBankAccount({ id: 'one', name: 'One', ...of } as never),
  webhook: (of: object) =>
    harness.gateway.webhooks.create({ id: 'one', url: 'http://127.0.0.1:9/', ...of } as never),
  token: (of: object) => harness.gateway.tokens.createToken({ id: 'one', ...of } as never),
};
const kinds = Object.entries(making);

test.each(kinds)(
  'a %s that two accounts make with one id at once belongs to the first',
  async (_kind, make) => {
    const made = await atOnce<object>(
      () => make(owner.shop),
      () => make(owner.other),
    );
    expect(made).toEqual([expect.objectContaining(owner.shop), 'conflict']);
    expect(await make(owner.shop)).toMatchObject(owner.shop);
  },
);

test.each(kinds)('a %s that is made twice at once exists once', async (_kind, make) => {
  const made = await atOnce<object>(
    () => make(owner.shop),
    () => make(owner.shop),
  );
  expect(made).toEqual([expect.objectContaining(owner.shop), expect.objectContaining(owner.shop)]);
});

test('an account that is made twice at once exists once, with the settings of the later request', async () => {
  const make = (name: string) =>
    harness.gateway.accounts.createAccount({ id: 'twice', name, currency: 'EUR' });
  const made = await atOnce(
    () => make('One'),
    () => make('Two'),
  );
  expect(made).toMatchObject([{ name: 'One' }, { name: 'Two' }]);
  expect(harness.gateway.accounts.account('twice')).toEqual(made[1]);
});

test('changes of an account that are made at once all take effect', async () => {
  const change = (changes: object) => () => harness.gateway.accounts.updateAccount('other', changes);
  await atOnce(change({ name: 'One' }), change({ currency: 'JPY' }), change({ surchargePercent: 1 }));
  const all = { name: 'One', currency: 'JPY', surchargePercent: 1 };
  expect(harness.gateway.accounts.account('other')).toMatchObject(all);
});

test('cards of two contacts with one id at once: the first one gets the id', async () => {
  const { contacts } = harness.gateway;
  for (const id of ['one', 'two']) await contacts.createContact({ id, accountId: 'shop', name: id });
  const save = (contact: string) => () => contacts.createCard(contact, { id: 'card', card: 'visa' });
  expect(await atOnce(save('one'), save('two'))).toEqual([
    expect.objectContaining({ contactId: 'one' }),
    'conflict',
  ]);
});

test('a change of a terminal that was deleted in the same turn answers that it is not found', async () => {
  const { terminals } = harness.gateway;
  await making.store(owner.shop);
  const { id } = await terminals.createTerminal({ poiId: 'V400m-9', storeId });
  const both = await atOnce<unknown>(
    () => terminals.deleteTerminal(id),
    () => terminals.updateTerminal(id, { payoutAccount: null }),
  );
  expect(both).toEqual([undefined, 'terminalNotFound']);
  expect(terminals.listTerminals()).toEqual([]);
});
