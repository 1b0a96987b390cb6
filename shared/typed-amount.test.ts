import { expect, test } from 'vitest';
import { readTypedAmount } from './typed-amount.ts';

const faultOf = (typed: string, currency?: string) => {
  const read = readTypedAmount(typed, currency);
  return 'fault' in read ? read.fault : undefined;
};

test.each([
  ['12.50', 12.5],
  ['12,50', 12.5],
  ['12', 12],
  ['.5', 0.5],
  ['7.', 7],
  [' 3.10 ', 3.1],
  ['+2', 2],
])('%j is read as the amount %d', (typed, amount) => {
  expect(readTypedAmount(typed, 'EUR')).toEqual({ amount });
});

test.each([
  ['', 'type an amount such as'],
  ['  ', 'type an amount such as'],
  ['-5', 'more than 0'],
  ['0.00', 'more than 0'],
  ['1,234', 'may be thousands'],
  ['1 000', 'not an amount'],
  ['12.3.4', 'not an amount'],
  ['1e3', 'not an amount'],
  ['.', 'not an amount'],
  ['0x10', 'not an amount'],
  ['99999999999', 'above the largest amount that the gateway accepts'],
])('%j is refused, and the message says: %s', (typed, fault) => {
  expect(faultOf(typed)).toContain(fault);
});

test('the number of decimals is checked if the currency is known', () => {
  expect(faultOf('12.345', 'EUR')).toBe('EUR has 2 decimals');
  expect(faultOf('12.5', 'JPY')).toBe('JPY has no decimals');
  expect(faultOf('12.345', 'KWD')).toBeUndefined();
  expect(faultOf('12.345')).toBeUndefined();
});
