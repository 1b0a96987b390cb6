import { expect, test } from 'vitest';
import { memoize } from './memoize.ts';

test('a value is made once for each key', () => {
  let made = 0;
  const of = memoize((key: string) => `${key} ${++made}`);
  expect([of('a'), of('b'), of('a')]).toEqual(['a 1', 'b 2', 'a 1']);
});

test('a value that could not be made is made again, and requested once at a time', async () => {
  let made = 0;
  const load = memoize(async () => {
    if (++made === 1) throw new Error('no descriptors');
    return made;
  });
  const first = load();
  expect(load()).toBe(first);
  await expect(first).rejects.toThrow('no descriptors');
  expect([await load(), await load()]).toEqual([2, 2]);
});
