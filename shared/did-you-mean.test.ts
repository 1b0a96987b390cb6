import { expect, test } from 'vitest';
import { findMeantName } from './did-you-mean.ts';

const known = ['name', 'currency', 'apiTokens', 'magicAmounts', 'port'];

test.each([
  ['currancy', 'currency'],
  ['api_tokens', 'apiTokens'],
  ['magicAmount', 'magicAmounts'],
  ['Prot', 'port'],
  ['nmae', 'name'],
])('for %s the suggestion is %s (B261)', (given, meant) => {
  expect(findMeantName(given, known)).toBe(meant);
});

test.each(['colour', 'x', 'discount', '__proto__secret', ''])('"%s" gets no suggestion', (given) => {
  expect(findMeantName(given, known)).toBeUndefined();
});

test('there is no suggestion if there are no names', () => {
  expect(findMeantName('port', [])).toBeUndefined();
});
