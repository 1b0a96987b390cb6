import { expect, test } from 'vitest';
import { makeJsonPrintable, makeLinesPrintable, makePrintable } from './printable.ts';

test.each([
  ['Café 東京 🔥', 'Café 東京 🔥'],
  ['one\r\ntwo\tthree', 'one two three'],
  ['cut \ud83d', 'cut ?'],
  ['\udd25 cut', '? cut'],
  ['\u001b[2J', '?[2J'],
  ['\u009b\u007f\0', '???'],
  ['abc\u202etxt', 'abc?txt'],
])('%j is printed as %j', (text, printed) => {
  expect(makePrintable(text)).toBe(printed);
});

test('lines that pinpad makes keep their line breaks', () => {
  expect(makeLinesPrintable('one\u202e\n\u001b[2Jtwo')).toBe('one?\n?[2Jtwo');
});

test('JSON with escaped control characters has the same meaning', () => {
  const said = { text: 'a\u009bb\u202ec\u007f€' };
  const json = makeJsonPrintable(JSON.stringify(said));
  expect(json).toBe('{"text":"a\\u009bb\\u202ec\\u007f€"}');
  expect(JSON.parse(json)).toEqual(said);
});
