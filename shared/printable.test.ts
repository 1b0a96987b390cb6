import { expect, test } from 'vitest';
import { printable } from './printable.ts';

test.each([
  ['Café 東京 🔥', 'Café 東京 🔥'],
  ['one\r\ntwo\tthree', 'one two three'],
  ['cut \ud83d', 'cut ?'],
  ['\udd25 cut', '? cut'],
  ['\u001b[2J', '?[2J'],
  ['\u009b\u007f\0', '???'],
  ['abc\u202etxt', 'abc?txt'],
])('%j is printed as %j', (text, printed) => {
  expect(printable(text)).toBe(printed);
});
