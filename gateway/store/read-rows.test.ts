import { expect, onTestFinished, test } from 'vitest';
import { readDueRows, readRowById, selectPageLatestFirst, whereEqualIfGiven } from './read-rows.ts';
import type { Tx } from './schema.ts';
import { openGatewayStore } from './store.ts';

/**
 * Makes the tokens `a` to `f`, in this order. They belong alternately to two accounts. Each token expires one second
 * earlier than the token that was made just before it.
 */
async function tokens() {
  const store = await openGatewayStore({ file: ':memory:' });
  onTestFinished(() => store.close());
  const rows = ['a', 'b', 'c', 'd', 'e', 'f'].map((id, nth) => ({
    id,
    account_id: nth % 2 === 0 ? 'shop' : 'cafe',
    environment: 'sandbox' as const,
    hash: `hash of ${id}`,
    label: '',
    created_at: nth,
    expires_at: 10_000 - 1_000 * nth,
    revoked_at: null,
  }));
  await store.commit(rows.map((row) => ({ insert: 'tokens', row })));
  const ids = async (found: (db: Tx) => Promise<readonly { id: string }[]>) =>
    (await store.read(found)).map(({ id }) => id).join('');
  return { store, rows, ids };
}
const all = (db: Tx) => db.selectFrom('tokens').selectAll();

test('a row is found by its identifier', async () => {
  const { store, rows } = await tokens();
  expect(await store.read((db) => readRowById(db, 'tokens', 'c'))).toEqual(rows[2]);
  expect(await store.read((db) => readRowById(db, 'tokens', 'x'))).toBeUndefined();
});

test('a list begins with the latest row, and the next page continues after the last row of the former', async () => {
  const { ids } = await tokens();
  expect(await ids((db) => selectPageLatestFirst(all(db), 'id', { limit: 4 }).execute())).toBe('fedc');
  expect(await ids((db) => selectPageLatestFirst(all(db), 'id', { limit: 4, before: 'c' }).execute())).toBe(
    'ba',
  );
});

test('rows are selected by the given values, and a value that is not given selects all', async () => {
  const { ids } = await tokens();
  const of = (values: object) => ids((db) => whereEqualIfGiven(all(db), values).orderBy('id').execute());
  expect(await of({ account_id: 'shop', hash: undefined })).toBe('ace');
  expect(await of({ account_id: 'shop', hash: 'hash of c' })).toBe('c');
  expect(await of({ account_id: undefined })).toBe('abcdef');
});

test('automatic transitions are listed by due time, and without a time limit in the order in which they were made', async () => {
  const { ids } = await tokens();
  expect(await ids((db) => readDueRows(all(db), 'expires_at', 7_000))).toBe('fed');
  expect(await ids((db) => readDueRows(all(db), 'expires_at', undefined))).toBe('abcdef');
});
