import { expect, test } from 'vitest';
import { makeRunRecord } from '../report/exploration.fixture.ts';
import { findNonRequestDifferences } from './non-request-differences.ts';

test('moments that the plain runs did not reach equally often are named, even if the totals are equal', () => {
  const [plain, again] = [
    { pin: 1, host: 1 },
    { tip: 1, host: 2 },
  ].map((passed) => makeRunRecord({ passed: new Map(Object.entries(passed)) }));
  expect(plain && again && findNonRequestDifferences(plain, again)).toEqual([
    'the two runs without faults passed pin a different number of times: 1 and 0',
    'the two runs without faults passed host a different number of times: 1 and 2',
    'the two runs without faults passed tip a different number of times: 0 and 1',
  ]);
  expect(plain && findNonRequestDifferences(plain, plain)).toEqual([]);
});
