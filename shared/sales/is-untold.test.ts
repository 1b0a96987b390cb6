import { expect, test } from 'vitest';
import { isSaleUntold } from './is-untold.ts';
import { createSalesHarness } from './sales.fixture.ts';

test('the point of sale counts as not told only if money was taken (B241)', () => {
  const pos = createSalesHarness();
  const money = { amount: 500, currency: 'EUR', why: 'it was asked for' };
  const refund = pos.received('/debit/d1/refunds', { method: 'POST', body: { amount: 5 } });
  pos.journal.add('refund.changed', { refund: 'f1', status: 'processing', ...money }, { payment: 'd1' });
  pos.answered(refund, 201, { id: 'f1' });
  pos.journal.add('refund.changed', { refund: 'f1', status: 'submitted', ...money }, { payment: 'd1' });
  expect(pos.sale).toMatchObject({ kind: 'refund', outcome: 'success', told: 'untold' });
  expect(isSaleUntold(pos.sale)).toBe(false);
  const paid = pos.asks({ key: 'k1' });
  pos.accepted(paid, 'p1', { key: 'k1' });
  pos.approved('p1');
  const sale = () => pos.sales.ofPayment('p1');
  expect(sale()).toMatchObject({ told: 'untold' });
  expect(sale()).not.toSatisfy(isSaleUntold);
  pos.hungUp(paid);
  expect(sale()).toSatisfy(isSaleUntold);
});
