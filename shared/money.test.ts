import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  computePercentOfMinor,
  currencyExponent,
  formatDecimalAmount,
  formatMoney,
  largestAmountMinor,
  majorToMinorOrFault,
  toMajor,
} from './money.ts';

test.each([
  ['JPY', 0],
  ['CAD', 2],
  ['KWD', 3],
  ['IQD', 3],
])('%s has the exponent that ISO 4217 gives (B12)', (currency, exponent) => {
  expect(currencyExponent(currency)).toBe(exponent);
});

test('an unknown currency has no exponent', () => {
  expect(currencyExponent('XYZ')).toBeUndefined();
  expect(currencyExponent('eur')).toBeUndefined();
  expect(() => toMajor(1, 'XYZ')).toThrow(RangeError);
});

test.each([
  [0.29, 'EUR', 29],
  [1.1, 'EUR', 110],
  [1e7, 'EUR', 1_000_000_000],
  [99_999_999.99, 'EUR', 9_999_999_999],
  [12.345, 'KWD', 12_345],
  [500, 'JPY', 500],
])('%d %s is read as %d minor units', (major, currency, minor) => {
  expect(majorToMinorOrFault(major, currency)).toBe(minor);
});

test.each([
  [0, 'EUR', 'notPositive'],
  [-1, 'EUR', 'notPositive'],
  [Number.NaN, 'EUR', 'notPositive'],
  [0.001, 'EUR', 'tooManyDecimals'],
  [1e-7, 'EUR', 'tooManyDecimals'],
  [10.5, 'JPY', 'tooManyDecimals'],
  [100_000_000, 'EUR', 'tooLarge'],
  [Number.POSITIVE_INFINITY, 'EUR', 'tooLarge'],
])('%d %s is refused as %s', (major, currency, fault) => {
  expect(majorToMinorOrFault(major, currency)).toBe(fault);
});

test.each([
  ['EUR', 9_999_999_999],
  ['JPY', 99_999_999],
  ['KWD', 99_999_999_990],
])('the largest amount of %s is %d minor units (B13)', (currency, minor) => {
  expect(largestAmountMinor(currency)).toBe(minor);
  expect(majorToMinorOrFault(toMajor(minor, currency), currency)).toBe(minor);
  expect(majorToMinorOrFault(toMajor(minor + 1, currency), currency)).toBe('tooLarge');
});

test('every amount is the same after it is written and read again', () => {
  const amount = fc.integer({ min: 1, max: 9_999_999_999 });
  fc.assert(
    fc.property(amount, fc.constantFrom('EUR', 'USD', 'CAD'), (minor, currency) => {
      expect(majorToMinorOrFault(toMajor(minor, currency), currency)).toBe(minor);
      expect(formatDecimalAmount(minor, currency)).toMatch(/^\d+\.\d{2}$/);
    }),
  );
});

test('text has exactly the decimals of the currency', () => {
  expect(formatDecimalAmount(5, 'EUR')).toBe('0.05');
  expect(formatDecimalAmount(1230, 'EUR')).toBe('12.30');
  expect(formatDecimalAmount(7, 'JPY')).toBe('7');
  expect(formatDecimalAmount(-1230, 'KWD')).toBe('-1.230');
});

test('amounts are written as usual in each language', () => {
  expect(formatMoney(123_456, 'EUR', 'de')).toBe('1.234,56 €');
  expect(formatMoney(123_456, 'EUR', 'en')).toBe('€1,234.56');
  expect(formatMoney(500, 'JPY', 'en')).toBe('¥500');
  expect(formatMoney(1_500, 'KWD', 'en')).toContain('1.500');
  expect(formatMoney(-500, 'EUR', 'en')).toBe('-€5.00');
});

test('percentages round half up to the minor unit (B25)', () => {
  expect(computePercentOfMinor(1050, 15)).toBe(158); // 157.5
  expect(computePercentOfMinor(1000, 15)).toBe(150);
  expect(computePercentOfMinor(333, 12.5)).toBe(42); // 41.625
  expect(computePercentOfMinor(9_999_999_999, 100)).toBe(9_999_999_999);
  expect(computePercentOfMinor(10, 4.9)).toBe(0);
});

test.each(
  ['de', 'en', 'es', 'fr', 'it', 'nl', 'pl'].flatMap((language) =>
    ['EUR', 'GBP', 'USD', 'CHF', 'JPY'].map((currency) => [language, currency] as const),
  ),
)('small and large amounts are written in the same style in %s, %s', (language, currency) => {
  const digits = currency === 'JPY' ? 0 : 2;
  const intl = new Intl.NumberFormat(language, {
    style: 'currency',
    currency,
    currencyDisplay: 'narrowSymbol',
    minimumFractionDigits: digits,
    maximumFractionDigits: digits,
  });
  for (const minor of [0, 1, 10, 999, 1000, 12_345, 99_999, 100_000, 123_456, 12_345_678])
    expect(formatMoney(minor, currency, language)).toBe(
      intl.format(minor / 10 ** digits).replaceAll(/[\u00a0\u202f]/g, ' '),
    );
});
