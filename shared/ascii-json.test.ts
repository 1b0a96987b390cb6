import { serialize } from 'node:v8';
import { expect, test } from 'vitest';
import { stringifyAsciiJson } from './ascii-json.ts';

test.each([
  [{ name: 'Total', value: '25.00' }],
  [{ name: 'Café', value: '25.00 €' }],
  [{ '🥐"\\\n': '\u2028' }],
])('%j is written in ASCII, one byte per character, and read back the same', (value) => {
  const text = stringifyAsciiJson(value);
  expect(text).toMatch(/^[ -~]*$/);
  expect(JSON.parse(text)).toEqual(value);
  // If a text takes two bytes per character, every longer text that contains that text takes two bytes per character
  // too.
  const whole = text.repeat(10);
  expect(serialize(whole).length).toBeLessThan(whole.length + 20);
});
