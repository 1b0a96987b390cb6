import fc from 'fast-check';
import { expect, test } from 'vitest';
import { scaledDraws } from '../test/draws.ts';
import { until } from '../test/until.ts';
import { KnownKeyFilter } from './key-index.ts';

const hour = 3_600_000;
const day = 24 * hour;

const many = scaledDraws(200_000);

test('hundreds of thousands of keys are all known and no others, in less than 40 bytes per key', () => {
  const index = new KnownKeyFilter(2 * day);
  const key = (n: number) => `acct_${n % 7}\nproduction\n${n.toString(36).padStart(36, 'x')}`;
  for (let n = 0; n < many; n++) index.add(key(n), n);
  expect(index.size).toBe(many);
  expect(index.bytes / index.size).toBeLessThan(40);
  let known = 0;
  for (let n = 0; n < many; n++) if (index.has(key(n))) known++;
  expect(known).toBe(many);
  let unknown = 0;
  for (let n = many; n < many + 100_000; n++) if (!index.has(key(n))) unknown++;
  expect(unknown).toBe(100_000);
});

test('a key index behaves like a set, even if thousands of keys come and go', () => {
  const keys = fc.array(fc.tuple(fc.constantFrom('add', 'remove'), fc.nat(1500)), {
    maxLength: 4000,
    size: 'max',
  });
  fc.assert(
    fc.property(keys, (moves) => {
      const index = new KnownKeyFilter(day);
      const set = new Set<string>();
      for (const [move, n] of moves) {
        const key = `key ${n}`;
        if (move === 'add') index.add(key, 0);
        else index.remove(key);
        if (move === 'add') set.add(key);
        else set.delete(key);
      }
      expect(index.size).toBe(set.size);
      for (let n = 0; n <= 1500; n++) expect(index.has(`key ${n}`)).toBe(set.has(`key ${n}`));
    }),
    { numRuns: 30 },
  );
});

test('old keys are forgotten before the index grows, and open keys are not', () => {
  const index = new KnownKeyFilter(2 * day);
  index.add('open', 0, 'open');
  index.add('ended', 0, 'open');
  index.add('ended', 0);
  const before = index.bytes;
  for (let n = 0; n < 100_000; n++) index.add(`key ${n}`, n * hour, n % 1000 === 0 ? 'open' : 'counts');
  expect(index.bytes).toBe(before);
  expect([index.has('open'), index.has('ended')]).toEqual([true, false]);
  for (let n = 100_000 - 48; n < 100_000; n++) expect(index.has(`key ${n}`)).toBe(true);
});

/** A store of keys. The test decides when the next rows arrive, and can see how many rows have been read. */
function storeOf(count: number) {
  const rows = Array.from({ length: count }, (_, n) => `key ${String(n).padStart(6, '0')}`);
  const reads: (string | undefined)[] = [];
  const read = async (after: string | undefined, limit: number) => {
    reads.push(after);
    const from = after === undefined ? 0 : rows.indexOf(after) + 1;
    return rows.slice(from, from + limit);
  };
  return { rows, reads, read };
}
const turn = () => new Promise((resolve) => setImmediate(resolve));

test('no key counts as new before all stored keys are read, and this reading runs beside other work', async () => {
  const { rows, reads, read } = storeOf(10_000);
  const index = new KnownKeyFilter(day);
  expect(index.isNew('another')).toBe(false);
  await index.fill(read, (key) => index.add(key, 0));
  expect([reads.length, index.isNew('another')]).toEqual([1, false]);
  await until('all keys are read', () => index.isNew('another'));
  expect(reads).toEqual([undefined, rows[4_999], rows[9_999]]);
  expect(rows.filter((key) => index.isNew(key))).toEqual([]);
});

test('a few keys are all read at once', async () => {
  const { read } = storeOf(3);
  const index = new KnownKeyFilter(day);
  await index.fill(read, (key) => index.add(key, 0));
  expect([index.isNew('key 000002'), index.isNew('another')]).toEqual([false, true]);
});

test('no key counts as new if the rest cannot be read', async () => {
  const { read } = storeOf(10_000);
  const index = new KnownKeyFilter(day);
  const failed = Promise.withResolvers<void>();
  const fill = index.fill(
    async (after: string | undefined, limit: number) => {
      if (after === undefined) return read(after, limit);
      failed.resolve();
      throw new Error('the store is gone');
    },
    (key) => index.add(key, 0),
  );
  await fill;
  await failed.promise;
  await turn();
  expect([index.isNew('another'), index.has('key 000000')]).toEqual([false, true]);
});
