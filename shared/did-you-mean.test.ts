import { expect, test } from 'vitest';
import { didYouMean } from './did-you-mean.ts';

const known = ['name', 'currency', 'apiTokens', 'magicAmounts', 'port'];

test.each([
  ['currancy', 'currency'],
  ['api_tokens', 'apiTokens'],
  ['magicAmount', 'magicAmounts'],
  ['Prot', 'port'],
  ['nmae', 'name'],
])('%s may be meant as %s (B261)', (given, meant) => {
  expect(didYouMean(given, known)).toBe(meant);
});

test.each(['colour', 'x', 'discount', '__proto__secret', ''])('"%s" is not meant as any of them', (given) => {
  expect(didYouMean(given, known)).toBeUndefined();
});

test('where there are no names, none is meant', () => {
  expect(didYouMean('port', [])).toBeUndefined();
});
