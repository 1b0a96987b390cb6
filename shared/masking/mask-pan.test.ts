import { expect, test } from 'vitest';
import { maskPan } from './mask-pan.ts';

test.each([
  ['5413330089099999', '541333 **** 9999'],
  ['6000070736169237003', '600007 **** 7003'],
  ['378282246310005', '378282 **** 0005'],
  ['123456789012', '123456 **** 9012'],
])('%s is shown as %s', (number, masked) => expect(maskPan(number)).toBe(masked));

test('a number of which six first and four last digits are all hides its first six', () => {
  expect(maskPan('1234567890')).toBe('**** 7890');
});
