import { expect, test } from 'vitest';
import { untoldPaymentText } from './untold-text.ts';

const untold = { payment: 'p1', currency: 'EUR', calls: 'POST lost', why: 'lost' } as Parameters<
  typeof untoldPaymentText
>[0];

test('money that was given back and never told is not shown as a negative payment (B511)', () => {
  expect(untoldPaymentText({ ...untold, amount: 12.5 })).toBe(
    'the POS was never told the outcome of payment p1 of EUR 12.5 (POST lost): lost',
  );
  expect(untoldPaymentText({ ...untold, amount: -5 })).toBe(
    'the POS was never told that p1 gave back EUR 5 (POST lost): lost',
  );
});
