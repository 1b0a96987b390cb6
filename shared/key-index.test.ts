import fc from 'fast-check';
import { expect, test } from 'vitest';
import { KeyIndex } from './key-index.ts';

const hour = 3_600_000;
const day = 24 * hour;

test('of a million keys each is known and no other is, in less than 40 bytes a key', () => {
  const index = new KeyIndex(2 * day);
  const key = (n: number) => `acct_${n % 7}\nproduction\n${n.toString(36).padStart(36, 'x')}`;
  for (let n = 0; n < 1_000_000; n++) index.add(key(n), n);
  expect(index.size).toBe(1_000_000);
  expect(index.bytes / index.size).toBeLessThan(40);
  let known = 0;
  for (let n = 0; n < 1_000_000; n++) if (index.has(key(n))) known++;
  expect(known).toBe(1_000_000);
  let unknown = 0;
  for (let n = 1_000_000; n < 1_100_000; n++) if (!index.has(key(n))) unknown++;
  expect(unknown).toBe(100_000);
});

test('it does what a set does, also where keys come and go among thousands', () => {
  const keys = fc.array(fc.tuple(fc.constantFrom('add', 'remove'), fc.nat(1500)), {
    maxLength: 4000,
    size: 'max',
  });
  fc.assert(
    fc.property(keys, (moves) => {
      const index = new KeyIndex(day);
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

test('what is too old is forgotten before it would grow; what has no end is not', () => {
  const index = new KeyIndex(2 * day);
  index.add('open', 0, 'open');
  index.add('ended', 0, 'open');
  index.add('ended', 0);
  const before = index.bytes;
  for (let n = 0; n < 100_000; n++) index.add(`key ${n}`, n * hour, n % 1000 === 0 ? 'open' : 'counts');
  expect(index.bytes).toBe(before);
  expect([index.has('open'), index.has('ended')]).toEqual([true, false]);
  for (let n = 100_000 - 48; n < 100_000; n++) expect(index.has(`key ${n}`)).toBe(true);
});
