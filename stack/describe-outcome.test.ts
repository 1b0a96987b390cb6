import { expect, test } from 'vitest';
import { makeCustomerReceiptLines } from './describe-outcome.ts';

test('the lines of a receipt have no control sequences for a terminal window', () => {
  const lines = [
    { name: '\u001b[2JSHOP', key: 'header1' },
    { name: 'TOTAL', value: '€ 5.00\u202e', key: 'totalAmount' },
  ].map((text) => ({ text }));
  const receipt = { documentQualifier: 'customerReceipt', outputContent: { outputText: lines } };
  const sale = { identifier: 'p', response: { result: 'success' as const }, paymentReceipt: [receipt] };
  expect(makeCustomerReceiptLines(sale)).toEqual(['?[2JSHOP', `TOTAL${' '.repeat(20)}€ 5.00?`]);
});
