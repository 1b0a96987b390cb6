import { expect, test } from 'vitest';
import { RecentlyUsedCache } from './recently-used.ts';

test('the values used last are kept, up to a limit', () => {
  const recent = new RecentlyUsedCache<number>(10);
  recent.set('often', 1);
  for (let n = 0; n < 1000; n++) {
    recent.set(`${n}`, n);
    expect(recent.get('often')).toBe(1);
  }
  for (let n = 999; n > 990; n--) expect(recent.get(`${n}`)).toBe(n);
  expect(recent.get('900')).toBeUndefined();
});

test('a deleted value is gone, and a value that is set again counts once', () => {
  const recent = new RecentlyUsedCache<string>(2);
  for (const value of ['a', 'b', 'c']) recent.set('key', value);
  expect(recent.get('key')).toBe('c');
  recent.set('other', 'x');
  recent.delete('key');
  expect(recent.get('key')).toBeUndefined();
});
