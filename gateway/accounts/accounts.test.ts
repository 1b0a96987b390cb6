import { afterEach, expect, test } from 'vitest';
import { createRuntime } from '../../shared/create-runtime.ts';
import type { VirtualClock } from '../../shared/virtual-clock.ts';
import { loneGatewayCopyUpdater } from '../engine/memory-copies.ts';
import { type GatewayStore, openGatewayStore } from '../store/store.ts';
import { AccountService } from './service.ts';
import { TokenService } from './tokens.ts';

let store: GatewayStore;
afterEach(() => store.close());

async function setup() {
  const runtime = createRuntime({ clock: 'virtual', seed: 1 });
  store = await openGatewayStore({ file: ':memory:' });
  const accounts = await AccountService.open(runtime, store);
  const tokens = new TokenService({ runtime, store, accounts, copies: loneGatewayCopyUpdater });
  await accounts.createAccount({ id: 'shop', name: 'Shop', currency: 'EUR' });
  const tokenRows = () => store.read((db) => db.selectFrom('tokens').selectAll().execute());
  return { runtime, clock: runtime.clock as VirtualClock, accounts, tokens, tokenRows };
}

test.each([
  ['EUR', 1_000_000],
  ['JPY', 10_000],
  ['KWD', 10_000_000],
])(
  'an account in %s has a transaction limit of 10 000 unless another is given (B28)',
  async (currency, minor) => {
    const { accounts } = await setup();
    expect((await accounts.createAccount({ name: 'A', currency })).transactionLimit).toBe(minor);
    expect(
      (await accounts.createAccount({ name: 'A', currency, transactionLimit: 5 })).transactionLimit,
    ).toBe(5);
  },
);

test('an account that is made twice is one account with the settings that were given last', async () => {
  const { accounts } = await setup();
  await accounts.createAccount({ id: 'shop', name: 'New name', currency: 'CAD', magicAmounts: false });
  expect(accounts.listAccounts()).toMatchObject([
    { id: 'shop', name: 'New name', currency: 'CAD', magicAmounts: false },
  ]);
  await expect(accounts.updateAccount('none', {})).rejects.toMatchObject({ code: 'notFound' });
});

test('accounts still exist after a restart', async () => {
  const { runtime, accounts } = await setup();
  expect((await AccountService.open(runtime, store)).listAccounts()).toEqual(accounts.listAccounts());
});

test('a token is shown once, is kept only as a hash, and identifies its caller (B112)', async () => {
  const { tokens, tokenRows } = await setup();
  const { token = '', id } = await tokens.createToken({ accountId: 'shop' });
  expect(token).toMatch(/^test_[\w-]{43}$/);
  expect(JSON.stringify(await tokenRows())).not.toContain(token.slice(5));
  expect(await tokens.authenticate(`Bearer ${token}`)).toEqual({
    tokenId: id,
    accountId: 'shop',
    environment: 'sandbox',
  });
  expect(JSON.stringify(await tokens.listTokens('shop'))).not.toContain(token);
});

test.each([
  undefined,
  '',
  'Bearer',
  'Bearer ',
  'Basic abc',
  'Bearer test_wrong',
  'bearer a b',
  'Bearer \u00e9',
])('the header %j authenticates no account', async (header) => {
  const { tokens } = await setup();
  await tokens.createToken({ accountId: 'shop', token: 'test_0123456789abcdef' });
  expect(await tokens.authenticate(header)).toBeUndefined();
});

test('a revoked token stops working immediately, even if it was cached', async () => {
  const { tokens } = await setup();
  const { token, id } = await tokens.createToken({ accountId: 'shop' });
  const header = `Bearer ${token}`;
  expect(await tokens.authenticate(header)).toBeDefined();
  const { revokedAt } = await tokens.revokeToken(id);
  expect(await tokens.authenticate(header)).toBeUndefined();
  expect((await tokens.revokeToken(id)).revokedAt).toBe(revokedAt);
  await expect(tokens.revokeToken('none')).rejects.toMatchObject({ code: 'notFound' });
});

test('a token that is revoked while a request looks it up is refused', async () => {
  const { tokens } = await setup();
  const { token, id } = await tokens.createToken({ accountId: 'shop' });
  const header = `Bearer ${token}`;
  await Promise.all([tokens.authenticate(header), tokens.revokeToken(id), tokens.authenticate(header)]);
  expect(await tokens.authenticate(header)).toBeUndefined();
});

test('a token expires if it has an expiry, and otherwise never (B112)', async () => {
  const { clock, tokens } = await setup();
  const expiresAt = new Date(clock.now() + 1000).toISOString();
  const header = `Bearer ${(await tokens.createToken({ accountId: 'shop', expiresAt })).token}`;
  const lasting = `Bearer ${(await tokens.createToken({ accountId: 'shop' })).token}`;
  await clock.advance(999);
  expect(await tokens.authenticate(header)).toBeDefined();
  await clock.advance(1);
  expect(await tokens.authenticate(header)).toBeUndefined();
  await clock.advance(1e12);
  expect(await tokens.authenticate(lasting)).toBeDefined();
});

test('a chosen token that is made twice is one token, and another account cannot have it', async () => {
  const { accounts, tokens, tokenRows } = await setup();
  const token = 'test_chosen-by-operator';
  const first = await tokens.createToken({ accountId: 'shop', token });
  const again = await tokens.createToken({ accountId: 'shop', token });
  expect(again).toMatchObject({ id: first.id });
  expect(again).not.toHaveProperty('token');
  expect(await tokenRows()).toHaveLength(1);
  await accounts.createAccount({ id: 'other', name: 'Other', currency: 'EUR' });
  await expect(tokens.createToken({ accountId: 'other', token })).rejects.toMatchObject({ code: 'conflict' });
  await expect(tokens.createToken({ accountId: 'none' })).rejects.toMatchObject({ code: 'notFound' });
});
