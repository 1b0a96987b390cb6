import { expect, test } from 'vitest';
import { luhnHolds } from './luhn.ts';

test.each(['4111111111111111', '378282246310005', '6000070736169237003', '79927398713', '0'])(
  'the check digit of %s is valid',
  (number) => expect(luhnHolds(number)).toBe(true),
);

test.each(['4111111111111112', '4111111111111', '79927398710', '', '4111 1111 1111 1111', 'x'])(
  'the check digit of "%s" is not valid',
  (number) => expect(luhnHolds(number)).toBe(false),
);

test('any single wrong digit is detected', () => {
  const number = '5555555555554444';
  for (let at = 0; at < number.length; at++) {
    const other = String((Number(number[at]) + 1) % 10);
    expect(luhnHolds(number.slice(0, at) + other + number.slice(at + 1))).toBe(false);
  }
});
