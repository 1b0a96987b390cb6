import { expect, test } from 'vitest';
import type { JournalEntry } from '../shared/journal.ts';
import { nextLastPaymentState } from './page/last-payment-state.ts';

const entry = (kind: string, data: object) =>
  ({ seq: 1, at: 0, kind, payment: 'p', data }) as unknown as JournalEntry;

test.each([
  [undefined, 'EUR 5.00'],
  ['refund', 'refund of EUR 5.00'],
  ['reversal', 'reversal of EUR 5.00'],
])('the last outcome shows what was given back: %s', (paymentKind, amount) => {
  const accepted = entry('payment.accepted', { amount: 500, currency: 'EUR', requestId: 'r', paymentKind });
  const underWay = nextLastPaymentState(accepted, undefined);
  expect(underWay?.text).toBe(`${amount} under way`);
  const concluded = entry('payment.concluded', { result: 'success', why: 'approved' });
  expect(nextLastPaymentState(concluded, underWay)?.text).toBe(`Approved ${amount}`);
});
