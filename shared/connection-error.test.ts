import { expect, test } from 'vitest';
import { explainConnectionError } from './connection-error.ts';

test('a failed fetch is explained by its cause', () => {
  const failed = new TypeError('fetch failed', { cause: new Error('connect ECONNREFUSED 127.0.0.1:1') });
  expect(explainConnectionError(failed)).toBe('connect ECONNREFUSED 127.0.0.1:1');
});

test('if no address of a name can be reached, each address has its reason', () => {
  const refused = ['connect ECONNREFUSED ::1:1', 'connect ECONNREFUSED 127.0.0.1:1'];
  const cause = new AggregateError(refused.map((text) => new Error(text)));
  expect(cause.message).toBe('');
  expect(explainConnectionError(new TypeError('fetch failed', { cause }))).toBe(refused.join(', '));
});

test('an error without a text is explained by its name, and another thrown value as text', () => {
  expect(explainConnectionError(new AggregateError([]))).toBe('AggregateError');
  expect(explainConnectionError(new RangeError())).toBe('RangeError');
  expect(explainConnectionError('gone')).toBe('gone');
});
