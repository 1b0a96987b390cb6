import { expect, test } from 'vitest';
import { countColumns, cutToColumns, wrapToColumns } from './text-fit.ts';

test.each([
  ['', 0],
  ['Prêt à payer 10,99 €', 20],
  ['東京カフェ', 10],
  ['서울', 4],
  ['cafe\u0301', 4],
  ['ﾃｽﾄ', 3],
])('"%s" takes %i columns', (text, columns) => expect(countColumns(text)).toBe(columns));

test('a text that fits is unchanged, and a longer one ends at the last column', () => {
  expect(cutToColumns('Karte bitte', 11)).toBe('Karte bitte');
  expect(cutToColumns('Karte bitte einstecken', 13)).toBe('Karte bitte…');
  expect(cutToColumns('東京カフェ', 6)).toBe('東京…');
});

test('lines break between words, and inside a word only if it is longer than a line', () => {
  expect(wrapToColumns('Herrengasse 14, 1010 Wien', 16)).toEqual(['Herrengasse 14,', '1010 Wien']);
  expect(wrapToColumns('ab 0123456789 cd', 4)).toEqual(['ab', '0123', '4567', '89', 'cd']);
  expect(wrapToColumns('東京カフェ', 5)).toEqual(['東京', 'カフ', 'ェ']);
  expect(wrapToColumns('b6f0c0de-5a1e-4c1b', 12)).toEqual(['b6f0c0de-', '5a1e-4c1b']);
  expect(wrapToColumns('  ', 4)).toEqual([]);
});

test('a word as long as a request is wrapped in linear time', () => {
  const lines = wrapToColumns('😀'.repeat(25_000), 32);
  expect(lines).toHaveLength(1_563);
  expect(lines.join('')).toBe('😀'.repeat(25_000));
});
