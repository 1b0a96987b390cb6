import { expect, test } from 'vitest';
import { createSalesHarness } from './sales.fixture.ts';

test('a wrong belief about a sale that was charged several times is not explained by a tip (B242)', () => {
  const pos = createSalesHarness();
  for (const payment of ['p1', 'p2']) {
    const asked = pos.asks({ key: payment, reference: 'sale-1' });
    pos.accepted(asked, payment, { key: payment, reference: 'sale-1' });
    pos.approved(payment);
    pos.hungUp(asked);
  }
  pos.journal.add('belief.stated', { saleId: 'p1', believes: 'paid', amount: 12.5 });
  expect(pos.sale.findings).toMatchObject([
    {
      rule: 'wrong-belief',
      what: 'the shop believes that 12.5 was paid, but the customer was charged twice, EUR 25 in all',
      fix: expect.not.stringContaining('tip'),
    },
  ]);
});

test('a tip may explain why a single payment came to more', () => {
  const pos = createSalesHarness();
  pos.accepted(pos.asks({ key: 'k1' }), 'p1', { key: 'k1' });
  pos.approved('p1', 1475);
  pos.journal.add('belief.stated', { saleId: 'p1', payment: 'p1', believes: 'paid', amount: 12.5 });
  expect(pos.sales.ofPayment('p1')?.findings).toMatchObject([{ fix: expect.stringContaining('tip') }]);
});
