import { expect, onTestFinished, test } from 'vitest';
import { createRuntime } from '../../shared/create-runtime.ts';
import { AccountService } from '../accounts/service.ts';
import { loneGatewayCopyUpdater } from '../engine/memory-copies.ts';
import { openGatewayStore } from '../store/store.ts';
import { TerminalService } from './service.ts';

/** Sets up a gateway that gives numbers to terminals by their device keys (B197). */

async function setup() {
  const runtime = createRuntime({ clock: 'virtual', seed: 1 });
  const store = await openGatewayStore({ file: ':memory:' });
  onTestFinished(() => store.close());
  const accounts = await AccountService.open(runtime, store);
  for (const id of ['shop', 'other']) await accounts.createAccount({ id, name: id, currency: 'EUR' });
  const terminals = await TerminalService.open({ runtime, store, accounts, copies: loneGatewayCopyUpdater });
  const { id: storeId } = await terminals.createStore({ accountId: 'shop', name: 'Shop' });
  const number = async (...keys: string[]) =>
    (await terminals.terminalsOfKeys(storeId, keys)).map(({ poiId }) => poiId);
  return { store, terminals, storeId, number };
}

test('a new device key gets a new terminal, and the same terminal when it is used again', async () => {
  const { number } = await setup();
  expect(await number('key-1', 'key-2')).toEqual(['V400m-200000001', 'V400m-200000002']);
  expect(await number('key-3', 'key-2')).toEqual(['V400m-200000003', 'V400m-200000002']);
});

test('requests at the same moment get different numbers for different keys, and one terminal for one key', async () => {
  const { number, terminals } = await setup();
  const [one, two, again] = await Promise.all([
    number('key-1', 'key-2'),
    number('key-3', 'key-4'),
    number('key-1', 'key-4'),
  ]);
  expect(new Set([...one, ...two]).size).toBe(4);
  expect(again).toEqual([one[0], two[1]]);
  expect(terminals.listTerminals()).toHaveLength(4);
});

test('a number that a terminal has or had is not given again, and no device key is replaced', async () => {
  const { number, terminals, storeId } = await setup();
  await terminals.createTerminal({ poiId: 'V400m-200000001', storeId, deviceKey: 'its-own-key' });
  const key = terminals.byPoiId('V400m-200000001')?.deviceKeyHash;
  const [made = ''] = await number('key-1');
  expect(made).toBe('V400m-200000002');
  expect(terminals.byPoiId('V400m-200000001')?.deviceKeyHash).toBe(key);
  const { id } = terminals.byPoiId(made)!;
  terminals.onDelete(async () => terminals.forget(terminals.required(id)));
  await terminals.deleteTerminal(id);
  expect(await number('key-2')).toEqual(['V400m-200000003']);
});

test('a key’s terminal is found in any account, and is not changed', async () => {
  const { number, terminals } = await setup();
  const { id } = await terminals.createStore({ accountId: 'other', name: 'Other' });
  const [theirs] = await terminals.terminalsOfKeys(id, ['key-1']);
  expect(await number('key-1')).toEqual([theirs?.poiId]);
  expect(terminals.listTerminals()).toMatchObject([{ accountId: 'other', storeId: id }]);
});

test('a long row of taken numbers is skipped', async () => {
  const { number, store, terminals, storeId } = await setup();
  await number('key-1');
  const row = await store.read((db) => db.selectFrom('terminals').selectAll().executeTakeFirstOrThrow());
  const taken = Array.from({ length: 2_500 }, (_, nth) => ({
    ...row,
    id: `taken-${nth}`,
    poi_id: `V400m-${200_000_002 + nth}`,
    device_key_hash: `hash-${nth}`,
  }));
  await store.write((db) => db.insertInto('terminals').values(taken).execute());
  expect(await number('key-2', 'key-1', 'key-3')).toEqual([
    'V400m-200002502',
    'V400m-200000001',
    'V400m-200002503',
  ]);
  expect(terminals.byPoiId('V400m-200002502')?.store.id).toBe(storeId);
});

test('terminals that already have their keys are found without a write', async () => {
  const { number, store } = await setup();
  await number('key-1');
  await store.write((db) => db.schema.dropTable('terminal_numbers').execute());
  expect(await number('key-1')).toEqual(['V400m-200000001']);
});
