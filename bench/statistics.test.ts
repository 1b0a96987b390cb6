import { expect, test } from 'vitest';
import { median, percentile } from './statistics.ts';

test('the median of an even count lies between the two middle values', () => {
  expect(median([10, 1, 2, 3])).toBe(2.5);
  expect(median([3, 1, 2])).toBe(2);
});

test('a percentile is one of the measured values', () => {
  const sorted = Array.from({ length: 100 }, (_, index) => index + 1);
  expect(percentile(sorted, 0.5)).toBe(50);
  expect(percentile(sorted, 0.99)).toBe(99);
  expect(percentile([7], 0.99)).toBe(7);
});
