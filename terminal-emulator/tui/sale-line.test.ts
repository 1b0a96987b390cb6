import { expect, test } from 'vitest';
import { createSalesHarness } from '../../shared/sales/sales.fixture.ts';
import { fittedSaleLine } from './sale-line.ts';

test('a refund, for which no money was taken, is not shown as untold (B241)', () => {
  const pos = createSalesHarness();
  const money = { amount: 500, currency: 'EUR', why: 'it was asked for' };
  const refund = pos.received('/debit/d1/refunds', { method: 'POST', body: { amount: 5 } });
  pos.journal.add('refund.changed', { refund: 'f1', status: 'processing', ...money }, { payment: 'd1' });
  pos.answered(refund, 201, { id: 'f1' });
  pos.journal.add('refund.changed', { refund: 'f1', status: 'submitted', ...money }, { payment: 'd1' });
  const marks = { ellipsis: '…', warn: '⚠', unicode: true };
  expect(fittedSaleLine(pos.sale, { columns: 120, several: false, marks }).outcome).toBe('submitted');
});
