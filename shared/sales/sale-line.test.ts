import { expect, test } from 'vitest';
import { formatSaleLine } from './sale-line.ts';
import { createSalesHarness, makeResultBody } from './sales.fixture.ts';

test('the line of a sale shows its time, amount, place, reference, requests and result', () => {
  const pos = createSalesHarness();
  const first = pos.asks({ key: 'sale-7KQ2' });
  pos.accepted(first, 'p1', { key: 'sale-7KQ2' });
  pos.approved('p1');
  pos.hungUp(first);
  expect(formatSaleLine(pos.sale)).toBe('09:00:00 12.50 …-1 sale-7KQ2 POST hung up approved not told');
  pos.answered(pos.received('/payment-requests/status?idempotencyKey=sale-7KQ2'), 200, makeResultBody('p1'));
  expect(formatSaleLine(pos.sale)).toBe('09:00:00 12.50 …-1 sale-7KQ2 POST hung up, status approved');
});

test('the line of a sale is never too long, and always shows the result', () => {
  const pos = createSalesHarness();
  const reference = 'order-of-a-very-long-name-1001';
  pos.accepted(pos.asks({ reference }), 'p1', { reference });
  pos.declined('p1', 'paymentRestriction');
  for (const status of [202, 404, 503, 202, 404, 503, 202])
    pos.answered(pos.received('/payment-requests/status?transactionId=p1'), status, { identifier: 'p1' });
  for (const columns of [66, 78, 120]) {
    const line = formatSaleLine(pos.sale, columns);
    expect(line.length).toBeLessThanOrEqual(columns);
    expect(line).toContain('order-of-…1001');
    expect(line).toMatch(/ declined: paymentRestriction$/);
  }
});

test('a sale without money taken has nobody who must be told', () => {
  const pos = createSalesHarness();
  const first = pos.asks({ key: 'k' });
  pos.accepted(first, 'p1', { key: 'k' });
  pos.declined('p1', 'paymentRestriction');
  pos.hungUp(first);
  expect(pos.sale.told).toBe('untold');
  expect(formatSaleLine(pos.sale)).not.toContain('not told');
});
