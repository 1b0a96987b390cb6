import { afterEach, expect, test } from 'vitest';
import type { Sale } from '../../shared/sales/sale.ts';
import { minute, PaymentsHarness } from '../payments/payments-harness.fixture.ts';

let harness: PaymentsHarness;
afterEach(() => harness.stop());

const control = { token: 'control-token-of-test' };
const named = (saleReferenceId: string) => ({ more: { saleData: { saleReferenceId } } });
const list = async (query = '') =>
  ((await harness.call('GET', `/control/sales${query}`, control)).body as unknown as { sales: Sale[] }).sales;

test('a sale whose calls join two stored payments is one sale, and can have a belief (B236, B242)', async () => {
  harness = await PaymentsHarness.start();
  const terminal = await harness.terminal().connect();
  const pay = async (key: string) => {
    const paying = harness.pay(25, { key, ...named('table-7') });
    await terminal.pay();
    return (await paying).body.identifier;
  };
  const first = await pay('k1');
  await harness.clock.advance(6 * 60 * minute);
  await harness.call('GET', '/payment-requests/status?idempotencyKey=k1');
  await harness.clock.advance(7 * 60 * minute);
  await pay('k2');
  expect((await list()).map(({ saleId, attempts }) => [saleId, attempts.length])).toEqual([[first, 2]]);
  expect(await list('?idempotencyKey=k2')).toHaveLength(1);
  const body = { saleReferenceId: 'table-7', believes: 'paid' };
  expect((await harness.call('POST', '/control/beliefs', { ...control, body })).status).toBe(201);
});
