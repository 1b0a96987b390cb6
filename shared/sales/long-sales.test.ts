import { expect, test } from 'vitest';
import { createSalesHarness, makeResultBody } from './sales.fixture.ts';

test('a payment soon after an old payment was asked for again belongs to its sale (B236)', async () => {
  const pos = createSalesHarness();
  const names = { key: 'k1', reference: 'table-7' };
  const first = pos.asks(names);
  pos.accepted(first, 'p1', names);
  pos.declined('p1');
  pos.answered(first, 200, makeResultBody('p1', 'failure'));
  await pos.clock.advance(13 * 3_600_000);
  pos.answered(pos.asks(names), 200, makeResultBody('p1', 'failure'));
  await pos.clock.advance(60_000);
  pos.accepted(pos.asks({ key: 'k2', reference: 'table-7' }), 'p2', { key: 'k2', reference: 'table-7' });
  expect(pos.sale).toMatchObject({
    callsText: 'POST ×2, POST open',
    attempts: [{ payment: 'p1' }, { payment: 'p2' }],
  });
});
