import { expect, test } from 'vitest';
import { shortenName } from './short-name.ts';

test('a long name is kept as its beginning and a fingerprint, and a usual name as it is (B318)', () => {
  expect(shortenName('order-1001')).toBe('order-1001');
  const [one, other] = ['1', '2'].map((end) => shortenName('x'.repeat(90_000) + end));
  expect(one).toMatch(/^x{100}….{43}$/);
  expect(one).not.toBe(other);
  expect(shortenName(`${'x'.repeat(90_000)}1`)).toBe(one);
});
