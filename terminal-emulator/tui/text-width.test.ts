import { expect, test } from 'vitest';
import { glyphsOf, padEnd, textWidth, truncate, truncateMiddle, wrap } from './text-width.ts';

const shown = (text: string) =>
  glyphsOf(text)
    .map(({ ch }) => ch)
    .join('');

test.each([
  ['Café', 4],
  ['東京', 4],
  ['서울 1', 6],
  ['ﾃｽﾄ', 3],
  ['€ ✓ ●', 5],
])('%s takes %i columns', (text, columns) => {
  expect(textWidth(text)).toBe(columns);
});

test('a letter and its accent become one character', () => {
  expect(glyphsOf('Cafe\u0301')).toHaveLength(4);
});

test('characters that could move the cursor or join their neighbours are left out', () => {
  expect(shown('a\x1b[31mb\u200d\u202e\x07c')).toBe('a[31mbc');
});

test('emoji, whose width differs between terminals, become a question mark', () => {
  expect(shown('☕ 👍 🇦🇹')).toBe('? ? ??');
});

test('cutting never halves a wide character', () => {
  expect(truncate('東京駅', 5, '…')).toBe('東京…');
  expect(truncate('東京駅', 4, '…')).toBe('東…');
  expect(truncate('Tokyo', 5, '…')).toBe('Tokyo');
  expect(padEnd('東', 4)).toBe('東  ');
});

test('a name is shortened in its middle, so that its end still identifies it', () => {
  expect(truncateMiddle('Demo Shop V400m-100000001', 14, '…')).toBe('Demo S…0000001');
  expect(truncateMiddle('Demo Shop', 14, '…')).toBe('Demo Shop');
  expect(textWidth(truncateMiddle('東京駅カフェ', 7, '…'))).toBeLessThanOrEqual(7);
});

test('text is broken between words, and inside a word only if it is too long', () => {
  expect(wrap('Please remove the card', 10)).toEqual(['Please', 'remove the', 'card']);
  expect(wrap('V400m-347312390', 6)).toEqual(['V400m-', '347312', '390']);
  expect(wrap('東京駅 カフェ', 6)).toEqual(['東京駅', 'カフェ']);
});
