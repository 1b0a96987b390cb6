import { expect, test } from 'vitest';
import { describeRefusalReason } from './refusal-words.ts';

test.each([
  ['128 PIN tries exceeded', 'PIN tries exceeded (128)'],
  ['CANCELLED', 'CANCELLED'],
  ['1000 wrong', '1000 wrong'],
  ['PIN tries exceeded (128)', 'PIN tries exceeded (128)'],
])('the refusal %s is %s in a sentence (B260)', (reason, words) => {
  expect(describeRefusalReason(reason)).toBe(words);
});

test('additional details follow the code of the refusal', () => {
  expect(describeRefusalReason('210 Not enough balance', 'NOT_ENOUGH_BALANCE')).toBe(
    'Not enough balance (210, NOT_ENOUGH_BALANCE)',
  );
});
