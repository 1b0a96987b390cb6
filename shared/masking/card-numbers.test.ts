import fc from 'fast-check';
import { expect, test } from 'vitest';
import { holdsCardNumber, maskCardNumbers } from './card-numbers.ts';
import { findCardNumbers } from './find-card-numbers.ts';
import { luhnHolds } from './luhn.ts';
import { ClientDataMasker } from './mask.ts';

test.each([
  ['4111111111111111', '411111 **** 1111'],
  ['4111 1111 1111 1111', '411111 **** 1111'],
  ['4111-1111-1111-1111', '411111 **** 1111'],
  ['4111 – 1111 – 1111 – 1111', '411111 **** 1111'],
  ['3782 822463 10005', '378282 **** 0005'],
  ['6000070736169237003', '600007 **** 7003'],
  ['630495060000', '630495 **** 0000'],
  ['pos-4111111111111111', 'pos-411111 **** 1111'],
  ['pan=4111111111111111;', 'pan=411111 **** 1111;'],
  ['4111 1111 1111 1111 1226 123', '411111 **** 1111 1226 123'],
  ['7 4111111111111111 5555555555554444', '7 411111 **** 1111 555555 **** 4444'],
  ['%B4111111111111111^DOE/JANE^2512', '%B411111 **** 1111^DOE/JANE^2512'],
  ['ref=4111%201111%201111%201111&x=1', 'ref=411111 **** 1111&x=1'],
  ['4111%2D1111%2d1111+1111', '411111 **** 1111'],
  ['4111%C2%A01111%c2%a01111%E2%80%931111', '411111 **** 1111'],
  ['4111%E2%88%921111%091111%E3%80%801111', '411111 **** 1111'],
  ['4111\t1111\u20031111\u30001111', '411111 **** 1111'],
  ['a%3A4111111111111111%22', 'a%3A411111 **** 1111%22'],
  ['%224111111111111111', '%22411111 **** 1111'],
  ['100%4111111111111111', '100%411111 **** 1111'],
  [';4111111111111111=2512', ';411111 **** 1111=2512'],
])('%s is shown as %s (B126)', (text, shown) => {
  expect(maskCardNumbers(text)).toBe(shown);
  expect(maskCardNumbers(shown)).toBe(shown);
});

test.each([
  '4111111111111112', // the check digit is wrong
  '41111111113', // too short
  '41111111111111111111111111', // too long
  'A4111111111111111', // a letter touches the number
  '4111111111111111B',
  '00000000-0000-7000-8000-000000000000',
  '01973300-1111-7111-8111-411111111111',
  'of 01973300-1111-7111-8111-411111111111 4',
  '2026-11-22T00:19:32.000Z',
  'V400m-347312390',
  '',
])('"%s" is not masked', (text) => expect(maskCardNumbers(text)).toBe(text));

test('no card number survives masking, whatever stands around it and between its groups', () => {
  const digits = fc.stringMatching(/^[2-6][0-9]{10,17}$/).map((start) => {
    return [...'0123456789'].map((last) => start + last).find(luhnHolds) as string;
  });
  const around = fc.stringMatching(/^[^0-9A-Za-z%]{0,10}$/);
  const between = fc.constantFrom(
    ...['', ' ', '-', ' - ', '\t', '\u00a0', '\u2003', '–', '\u2212', '+'],
    ...['%20', '%2D', '%09', '%C2%A0', '%e2%80%af', '%E2%80%93', '%E2%88%92'],
  );
  fc.assert(
    fc.property(digits, around, around, between, (number, before, after, separator) => {
      const text = before + number.replaceAll(/.{4}(?=.)/g, `$&${separator}`) + after;
      expect(holdsCardNumber(text)).toBe(true);
      const shown = maskCardNumbers(text).replaceAll(separator === '' ? ' ' : separator, '');
      expect(shown.replaceAll(/\D/g, '')).not.toContain(number);
    }),
  );
});

test('masking long text takes time in proportion to its length', () => {
  // The duration of this call grows only in proportion to the length of the text. Otherwise the call would take hours.
  for (const text of ['1 ', '1', '4111111111111111 ', '12-', '1a', '- ', '1%20', '%', '%2'].map((part) =>
    part.repeat(50_000),
  ))
    maskCardNumbers(text);
});

test('paths say where in a value the card numbers are', () => {
  const value = {
    a: '4111111111111111',
    b: [1, { c: 4111111111111111 }],
    '4111 1111 1111 1111': null,
    d: 'x',
  };
  expect(findCardNumbers(value)).toEqual(['a', 'b.1.c', '4111 1111 1111 1111']);
});

test('a mask returns a value without card numbers as it is, and never changes its input', () => {
  const mask = new ClientDataMasker();
  const plain = { a: ['x', 1, null], b: { c: 'y' } };
  expect(mask.value(plain)).toBe(plain);
  const revealing = { a: ['x', '4111111111111111'], b: plain, 4111111111111111: 4111111111111111 };
  const before = structuredClone(revealing);
  expect(mask.value(revealing)).toEqual({
    a: ['x', '411111 **** 1111'],
    b: plain,
    '411111 **** 1111': '411111 **** 1111',
  });
  expect(revealing).toEqual(before);
});

test('a mask hides the secret of a payment link in any text, and does not follow endless nesting', () => {
  const mask = new ClientDataMasker();
  expect(mask.text('see http://x/pay/Zk3nV-9QxT_b2LwYp0RcHs8mJdE4uAfG6iKoNq1tSvX?a, please')).toBe(
    'see http://x/pay/****?a, please',
  );
  let deep: unknown = '4111111111111111';
  for (let depth = 0; depth < 100_000; depth++) deep = [deep];
  expect(JSON.stringify(mask.value(deep)).length).toBeLessThan(300);
});

test('the data of an entry are masked in a copy', () => {
  const data = { path: '/4111111111111111', headers: { of: '4111111111111111' } };
  expect(new ClientDataMasker().data(data)).toEqual({
    path: '/411111 **** 1111',
    headers: { of: '411111 **** 1111' },
  });
  expect(data.path).toBe('/4111111111111111');
});
