import { expect, test } from 'vitest';
import { serviceIdOf } from './service-id.ts';

test.each([
  ['019b78ce-9280-7000-8000-5f3759df0003', 'KTDFDH8OHK'],
  ['019b78ce-9280-7000-8000-5f3759df0004', 'Q4M4TKM58S'],
])('the ServiceID of a payment is the same in every version: %s', (id, serviceId) => {
  expect(serviceIdOf(id)).toBe(serviceId);
});
