import { expect, test } from 'vitest';
import { createSalesHarness } from '../../shared/sales/sales.fixture.ts';
import { salesOfRun } from './sales-of-run.ts';

test('a sale and its belief belong to this run, even if an earlier run used the same reference (B333)', () => {
  const shop = createSalesHarness();
  const sells = (key: string, payment: string) => {
    const request = shop.asks({ key, reference: 'order-1' });
    shop.accepted(request, payment, { key, reference: 'order-1' });
    shop.approved(payment);
    shop.answered(request, 200);
  };
  sells('k1', 'p1');
  const before = shop.journal.since().length;
  sells('k2', 'p2');
  // For the gateway, the payments `p1` and `p2` belong to one sale. This sale still has the id that it got with `p1`.
  const { saleId } = shop.sale;
  expect(shop.sale.charged).toBe(25);
  shop.journal.add('belief.stated', { saleId, believes: 'paid', amount: 12.5 });
  const run = shop.journal.since().slice(before);
  const named = { namesOf: () => ({ saleReferenceId: 'order-1' }) };
  const [sale, ...others] = salesOfRun(run, 'shop', named);
  expect(others).toEqual([]);
  expect(sale).toMatchObject({ charged: 12.5, beliefs: [{ believes: 'paid', amount: 12.5 }] });
  expect(salesOfRun(run, 'shop', { namesOf: () => undefined })[0]?.beliefs).toEqual([]);
});
