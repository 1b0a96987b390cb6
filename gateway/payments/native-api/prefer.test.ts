import { expect, test } from 'vitest';
import { prefersAsync } from './prefer.ts';

test.each([
  [undefined, false],
  ['', false],
  ['respond-sync', false],
  ['respond-async', true],
  ['Respond-Async', true],
  ['respond-async, wait=10', true],
  ['wait=10 , respond-async ; a=b', true],
  ['respond-sync, respond-async', false],
  ['respond-async, respond-sync', true],
  ['respond-async-please', false],
  ['foo="a, respond-async"', false],
  ['foo="a\\", respond-async", respond-async', true],
  ['foo; respond-async', false],
  ['"respond-async', false],
])('the header Prefer selects how the gateway answers: %s (B45, B46)', (header, async) => {
  expect(prefersAsync(header)).toBe(async);
});
