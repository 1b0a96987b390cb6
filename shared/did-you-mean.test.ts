import { expect, test } from 'vitest';
import { didYouMean } from './did-you-mean.ts';

const known = ['name', 'currency', 'apiTokens', 'magicAmounts', 'port'];

test.each([
  ['currancy', 'currency'],
  ['api_tokens', 'apiTokens'],
  ['magicAmount', 'magicAmounts'],
  ['Prot', 'port'],
  ['nmae', 'name'],
])('for %s the suggestion is %s (B261)', (given, meant) => {
  expect(didYouMean(given, known)).toBe(meant);
});

test.each(['colour', 'x', 'discount', '__proto__secret', ''])('"%s" gets no suggestion', (given) => {
  expect(didYouMean(given, known)).toBeUndefined();
});

test('there is no suggestion if there are no names', () => {
  expect(didYouMean('port', [])).toBeUndefined();
});
