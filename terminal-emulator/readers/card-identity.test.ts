import { createHmac } from 'node:crypto';
import { expect, test } from 'vitest';
import { hasCardNumberLength, makeCardIdentity } from './card-identity.ts';

const key = new TextEncoder().encode('a key of at least sixteen bytes');

test('a number is masked, and identified by the first 64 bits of its keyed hash', () => {
  const hash = createHmac('sha256', key).update('4761739001010010').digest('hex').toUpperCase();
  expect(makeCardIdentity('4761739001010010', key)).toEqual({
    maskedPan: '476173 **** 0010',
    fingerprint: hash.slice(0, 16),
    checkDigitValid: true,
  });
});

test('another key, or another number, gives another fingerprint', () => {
  const { fingerprint } = makeCardIdentity('4761739001010010', key);
  expect(makeCardIdentity('4761739001010010', key.slice(1)).fingerprint).not.toBe(fingerprint);
  expect(makeCardIdentity('4761739001010028', key).fingerprint).not.toBe(fingerprint);
});

test('a wrong check digit is reported, not refused', () => {
  expect(makeCardIdentity('4761739001010011', key).checkDigitValid).toBe(false);
});

test.each(['', '12345678901', '12345678901234567890', '476173900101001F', '4761 7390 0101 0010'])(
  '"%s" is not a card number',
  (digits) => {
    expect(hasCardNumberLength(digits)).toBe(false);
  },
);
