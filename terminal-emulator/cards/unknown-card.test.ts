import { expect, test } from 'vitest';
import { testCardSchema } from '../../shared/emulator/cards.ts';
import { makeCardForUnknownNumber } from './unknown-card.ts';

test('a typed number that is not a test card is an approved card of the brand of its IIN', () => {
  const typed = makeCardForUnknownNumber('2223003122003222', '1230');
  expect(typed).toMatchObject({ number: '2223003122003222', expiry: '1230', keyed: true });
  expect(typed?.applications.map(({ brand }) => brand)).toEqual(['mc']);
  expect(makeCardForUnknownNumber('378282246310005', '1249')?.applications[0]?.brand).toBe('amex');
  expect(typed?.host).toBeUndefined();
  expect(testCardSchema.parse(typed)).toEqual(typed);
});

test('only the number field of such a card reveals the number', () => {
  const { number, ...rest } = makeCardForUnknownNumber('2223003122003222', '1230')!;
  expect(number).toBe('2223003122003222');
  expect(JSON.stringify(rest)).not.toMatch(/2223|3222/);
});

test.each([
  ['a wrong check digit', '4111111111111112', '1230'],
  ['no brand', '9999999999999995', '1230'],
  ['too few digits', '42', '1230'],
  ['something else than digits', '4111-1111-1111-1111', '1230'],
  ['a month that is none', '4111111111111111', '1330'],
  ['half an expiry', '4111111111111111', '12'],
])('%s does not make a card', (_, number, expiry) =>
  expect(makeCardForUnknownNumber(number, expiry)).toBeUndefined(),
);
