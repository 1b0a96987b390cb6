import { expect, test } from 'vitest';
import { refusalWords } from './refusal-words.ts';

test.each([
  ['128 PIN tries exceeded', 'PIN tries exceeded (128)'],
  ['CANCELLED', 'CANCELLED'],
  ['1000 wrong', '1000 wrong'],
  ['PIN tries exceeded (128)', 'PIN tries exceeded (128)'],
])('the refusal %s is %s in a sentence (B260)', (reason, words) => {
  expect(refusalWords(reason)).toBe(words);
});

test('additional details follow the code of the refusal', () => {
  expect(refusalWords('210 Not enough balance', 'NOT_ENOUGH_BALANCE')).toBe(
    'Not enough balance (210, NOT_ENOUGH_BALANCE)',
  );
});
