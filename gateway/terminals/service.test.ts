import { afterEach, expect, test } from 'vitest';
import { createRuntime } from '../../shared/create-runtime.ts';
import { AccountService } from '../accounts/service.ts';
import { loneGatewayCopyUpdater } from '../engine/memory-copies.ts';
import { type GatewayStore, openGatewayStore } from '../store/store.ts';
import { TerminalService } from './service.ts';

let store: GatewayStore;
afterEach(() => store.close());

async function setup() {
  const runtime = createRuntime({ clock: 'virtual', seed: 1 });
  store = await openGatewayStore({ file: ':memory:' });
  const accounts = await AccountService.open(runtime, store);
  for (const id of ['shop', 'other']) await accounts.createAccount({ id, name: id, currency: 'EUR' });
  const terminals = await TerminalService.open({ runtime, store, accounts, copies: loneGatewayCopyUpdater });
  const { id: storeId } = await terminals.createStore({ accountId: 'shop', name: 'Shop', address: 'Street' });
  const reopened = () => TerminalService.open({ runtime, store, accounts, copies: loneGatewayCopyUpdater });
  return { terminals, storeId, reopened };
}

const sandbox = { accountId: 'shop', environment: 'sandbox' } as const;

test('the device key of a terminal is shown once, and kept only as a hash', async () => {
  const { terminals, storeId } = await setup();
  const { deviceKey = '' } = await terminals.createTerminal({ poiId: 'V400m-1', storeId });
  expect(deviceKey).toMatch(/^dev_[\w-]{43}$/);
  const rows = await store.read((db) => db.selectFrom('terminals').selectAll().execute());
  expect(JSON.stringify(rows)).not.toContain(deviceKey.slice(4));
  expect(JSON.stringify(terminals.listTerminals())).not.toContain(deviceKey);
});

test('a terminal that is made twice is one terminal with the last settings, and its key stays (B1, B2)', async () => {
  const { terminals, storeId } = await setup();
  const first = await terminals.createTerminal({ poiId: 'V400m-1', storeId });
  const key = terminals.byPoiId('V400m-1')?.deviceKeyHash;
  const again = await terminals.createTerminal({
    poiId: 'V400m-1',
    storeId,
    payoutAccount: null,
    magicAmounts: false,
  });
  expect(again).toMatchObject({ id: first.id, payoutAccount: null, magicAmounts: false });
  expect(again).not.toHaveProperty('deviceKey');
  expect(terminals.byPoiId('V400m-1')?.deviceKeyHash).toBe(key);
});

test('stores and terminals still exist after a restart', async () => {
  const { terminals, storeId, reopened } = await setup();
  await terminals.createTerminal({ poiId: 'V400m-1', storeId });
  expect((await reopened()).listFor(sandbox)).toEqual(terminals.listFor(sandbox));
});

test('the other environment and other accounts cannot see a terminal (B6, B7)', async () => {
  const { terminals, storeId } = await setup();
  const { id } = await terminals.createTerminal({ poiId: 'V400m-1', storeId });
  expect(terminals.ofCaller(id.toUpperCase(), sandbox).poiId).toBe('V400m-1');
  for (const caller of [
    { accountId: 'other', environment: 'sandbox' },
    { accountId: 'shop', environment: 'production' },
  ] as const) {
    expect(terminals.listFor(caller)).toEqual([]);
    expect(() => terminals.ofCaller(id, caller)).toThrow('The terminal does not exist');
  }
});

test('a poi_id belongs to one terminal, even if two requests come at the same moment', async () => {
  const { terminals, storeId } = await setup();
  const foreign = await terminals.createStore({ accountId: 'other', name: 'Other' });
  const [one, two] = await Promise.allSettled([
    terminals.createTerminal({ poiId: 'V400m-1', storeId }),
    terminals.createTerminal({ poiId: 'V400m-1', storeId }),
  ]);
  expect([one.status, two.status]).toEqual(['fulfilled', 'rejected']);
  await expect(terminals.createTerminal({ poiId: 'V400m-1', storeId: foreign.id })).rejects.toMatchObject({
    code: 'conflict',
    message: 'The terminal V400m-1 belongs to another account or environment than the store',
  });
  await expect(terminals.createTerminal({ poiId: 'V400m-2', storeId: 'none' })).rejects.toMatchObject({
    code: 'notFound',
  });
});

test('the list of terminals shows the new name of a renamed store', async () => {
  const { terminals, storeId } = await setup();
  await terminals.createTerminal({ poiId: 'V400m-1', storeId });
  await terminals.createStore({ id: storeId, accountId: 'shop', name: 'New', address: 'Road' });
  expect(terminals.listFor(sandbox)[0]?.store).toEqual({ identifier: storeId, name: 'New', address: 'Road' });
  expect(terminals.listStores()).toHaveLength(1);
});

test('if two terminals get one identifier at the same moment, the error names the one that has it', async () => {
  const { terminals, storeId } = await setup();
  const id = '0198c0de-0000-4000-8000-000000000001';
  const [, two] = await Promise.allSettled([
    terminals.createTerminal({ id, poiId: 'V400m-1', storeId }),
    terminals.createTerminal({ id, poiId: 'V400m-2', storeId }),
  ]);
  expect(two).toMatchObject({
    reason: { code: 'conflict', message: `The identifier ${id} already belongs to the terminal V400m-1` },
  });
});
