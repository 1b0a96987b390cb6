import { expect, test } from 'vitest';
import { mayRetryImport } from './may-retry-import.ts';

test.each([
  ['22.18.0', false],
  ['22.21.0', false],
  ['22.21.1', true],
  ['22.23.3', true],
  ['23.11.1', false],
  ['24.0.0', false],
  ['24.21.0', true],
  ['25.0.0', true],
  ['26.10.0', true],
])('the answer whether Node %s retries a module that failed to load is: %s (B196)', (version, again) => {
  expect(mayRetryImport(version)).toBe(again);
});
