import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import type { Sale } from '../../shared/sales/sale.ts';
import { type StackHarness, stackHarness } from '../stack/stack-harness.ts';

const untold = async (harness: StackHarness) =>
  (await harness.control<{ untold: unknown[] }>('GET', '/books')).body.untold;

test('a payment that was accepted just before a crash belongs to the sale of its request (B240, B242)', async () => {
  const data = mkdtempSync(join(tmpdir(), 'pinpad-crashed-sale-'));
  const harness = await stackHarness({ memory: false, data });
  onTestFinished(() => rmSync(data, { recursive: true }));
  await harness.control('PUT', '/moments/after.accepted', { action: 'crash' });
  const sale = { saleData: { saleReferenceId: 'sale-1' } };
  await expect(harness.pay(5, sale, { 'idempotency-key': 'one' })).rejects.toThrow();
  await harness.settled();
  await harness.clock.advance(30_000);
  await harness.until('presentCard');
  await harness.act('tap', { card: 'visa-credit' });
  await harness.until('idle');
  await harness.clock.advance(61_000);
  expect(await untold(harness)).toHaveLength(1);
  const { body } = await harness.control<{ sales: Sale[] }>('GET', '/sales');
  expect(body.sales).toMatchObject([
    { callsText: 'POST lost', callsKnown: true, told: 'untold', charged: 5 },
  ]);
  const believed = await harness.control('POST', '/beliefs', {
    saleReferenceId: 'sale-1',
    believes: 'notPaid',
  });
  expect(believed.status).toBe(201);
});
