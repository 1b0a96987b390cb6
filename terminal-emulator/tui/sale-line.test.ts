import { expect, test } from 'vitest';
import { createSalesHarness } from '../../shared/sales/sales.fixture.ts';
import { makeSaleLine } from './sale-line.ts';

const marks = { ellipsis: '…', warn: '⚠', unicode: true };

test('a refund, for which no money was taken, is not shown as untold (B241)', () => {
  const pos = createSalesHarness();
  const money = { amount: 500, currency: 'EUR', why: 'it was asked for' };
  const refund = pos.received('/debit/d1/refunds', { method: 'POST', body: { amount: 5 } });
  pos.journal.add('refund.changed', { refund: 'f1', status: 'processing', ...money }, { payment: 'd1' });
  pos.answered(refund, 201, { id: 'f1' });
  pos.journal.add('refund.changed', { refund: 'f1', status: 'submitted', ...money }, { payment: 'd1' });
  expect(makeSaleLine(pos.sale, { columns: 120, several: false, marks }).outcome).toBe('submitted');
});

test("the host's reason for a refusal is shown unchanged, even if it has a dollar sign", () => {
  const pos = createSalesHarness();
  pos.accepted(pos.asks({ key: 'k1' }), 'p1', { key: 'k1' });
  const why = 'the terminal answers declined: limit $& or $$5';
  pos.journal.add(
    'payment.concluded',
    { result: 'failure', errorCondition: 'refusal', why },
    { payment: 'p1' },
  );
  const { outcome } = makeSaleLine(pos.sale, { columns: 120, several: false, marks });
  expect(outcome).toBe('declined: limit $& or $$5');
});
