import { expect, test } from 'vitest';
import type { JournalEntry } from '../../../shared/journal.ts';
import { describeRealTimeGap } from './real-time-gap.ts';

const entry = (at: number, realAt?: number) =>
  ({ seq: 1, at, realAt, kind: 'warning', data: { message: '' } }) as JournalEntry;

test('the first entry, and each at a new time, shows its time of day (B263)', () => {
  expect(describeRealTimeGap(entry(5), undefined)).toBeUndefined();
  expect(describeRealTimeGap(entry(6), entry(5))).toBeUndefined();
});

test('while virtual time stands still, the real milliseconds since the former entry are shown', () => {
  expect(describeRealTimeGap(entry(5, 1_212), entry(5, 1_200))).toBe('+12 ms');
  expect(describeRealTimeGap(entry(5), entry(5))).toBe('same ms');
});
