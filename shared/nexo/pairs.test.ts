import fc from 'fast-check';
import { expect, test, vi } from 'vitest';
import { decodePairs, encodePairs, findPairValue } from './pairs.ts';

test('values are percent-encoded as terminals do it: lower-case hex, %20 for spaces, stars encoded too', () => {
  expect(
    encodePairs([
      ['name', 'TOTAL'],
      ['value', '€ 10.99'],
      ['pan', '****9999'],
      ['at', "a:b/c,d'e"],
    ]),
  ).toBe('name=TOTAL&value=%e2%82%ac%2010.99&pan=%2a%2a%2a%2a9999&at=a%3ab%2fc%2cd%27e');
});

test('every encoded text is read back, in order', () => {
  fc.assert(
    fc.property(
      fc.array(fc.tuple(fc.string({ unit: 'grapheme' }), fc.string({ unit: 'grapheme' })), { minLength: 1 }),
      (pairs) => {
        expect(decodePairs(encodePairs(pairs))).toEqual(pairs);
      },
    ),
    { seed: 5 },
  );
});

test('half a surrogate pair can be encoded', () => {
  expect(decodePairs(encodePairs([['a', 'cut \ud83d']]))).toEqual([['a', 'cut \ufffd']]);
});

test('a name without a value, and an empty text, can be read', () => {
  expect(decodePairs('key=filler&bare')).toEqual([
    ['key', 'filler'],
    ['bare', ''],
  ]);
  expect(decodePairs('')).toEqual([]);
});

test('many names without values are read in linear time', () => {
  const looks = vi.spyOn(String.prototype, 'indexOf');
  const pairs = decodePairs('a&'.repeat(1000));
  const looked = looks.mock.calls.filter(([sign]) => sign === '=').length;
  looks.mockRestore();
  expect(pairs).toHaveLength(1001);
  expect(looked).toBe(1);
});

test('a value is found by its name, and the last of several counts', () => {
  const text = encodePairs([
    ['at', 'a&event=no'],
    ['event', 'first'],
    ['event', 'PIN ENTERED'],
  ]);
  expect(findPairValue(text, 'event')).toBe('PIN ENTERED');
  expect(findPairValue(text, 'at')).toBe('a&event=no');
  expect(findPairValue(text, 'no')).toBeUndefined();
});
