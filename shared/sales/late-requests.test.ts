import { expect, test } from 'vitest';
import { createSalesHarness } from './sales.fixture.ts';

test('a payment of a request that arrived late is matched from its first call on (B240)', () => {
  const pos = createSalesHarness();
  const names = { key: 'k1', reference: 'sale-1' };
  const asked = pos.asks(names);
  pos.journal.add('fault.injected', { fault: 'delayRequest', ...asked });
  pos.answered(pos.received('/payment-requests/status?idempotencyKey=k1'), 404, { error: 'notFound' });
  const copy = { ...asked, requestId: 'copy' };
  pos.journal.add('http.received', { ...copy, accountId: 'shop', copyOf: asked.requestId });
  pos.accepted(copy, 'p1', names);
  pos.approved('p1');
  expect(pos.sale).toMatchObject({
    callsText: 'POST lost, status 404',
    callsKnown: true,
    told: 'untold',
    calls: [{ payment: 'p1' }, { payment: null }],
  });
  expect(pos.sales.untold(Number.POSITIVE_INFINITY)).toHaveLength(1);
});

test('a second payment of a request that arrived twice is matched, too', () => {
  const pos = createSalesHarness();
  const asked = pos.asks({ reference: 'sale-1' });
  pos.accepted(asked, 'p1', { reference: 'sale-1' });
  const copy = { ...asked, requestId: 'copy' };
  pos.journal.add('http.received', { ...copy, accountId: 'shop', copyOf: asked.requestId });
  pos.accepted(copy, 'p2', { reference: 'sale-1' });
  pos.approved('p2');
  expect(pos.sale).toMatchObject({ callsKnown: true, told: 'untold' });
});

test.each(['delayRequest', 'duplicateRequest'])(
  'a payment of a request without a key or a reference belongs to its sale, also by %s (B400)',
  (fault) => {
    const pos = createSalesHarness();
    const asked = pos.asks();
    pos.journal.add('fault.injected', { fault, ...asked });
    const isLost = fault === 'delayRequest';
    if (!isLost) {
      pos.accepted(asked, 'p1');
      pos.approved('p1');
      pos.answered(asked, 200, { identifier: 'p1', response: { result: 'success' } });
    }
    const copy = { ...asked, requestId: 'copy' };
    pos.journal.add('http.received', { ...copy, accountId: 'shop', copyOf: asked.requestId });
    pos.accepted(copy, 'p2');
    pos.approved('p2');
    expect(pos.sale).toMatchObject({
      callsText: isLost ? 'POST lost' : 'POST',
      callsKnown: true,
      told: 'untold',
      calls: [{ payment: isLost ? 'p2' : 'p1' }],
      charged: isLost ? 12.5 : 25,
    });
  },
);
