import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { Till } from '../../gateway/dialects/adyen/till.fixture.ts';
import type { Sale } from '../../shared/sales/sale.ts';
import { resolveConfig, startStack } from '../../stack/index.ts';

const shopper = { card: 'visa-credit', entry: 'Contactless', tip: 'none', thinkMs: 0 } as const;
const sold = (TransactionID: string) => ({
  sale: { SaleTransactionID: { TransactionID, TimeStamp: '2026-01-01T00:00:00.000Z' } },
});
const refund = { payment: { PaymentData: { PaymentType: 'Refund' } } };

function aFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'pinpad-back-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

async function start(data: string) {
  const config = { port: 0, data, pacing: 'instant', adyen: true, shopper } as const;
  const stack = await startStack(resolveConfig(undefined, config));
  onTestFinished(() => stack.close());
  const headers = { authorization: `Bearer ${stack.controlToken}` };
  const sales = async (query = '') => {
    const answer = await fetch(`${stack.url}/control/sales${query}`, { headers });
    return ((await answer.json()) as { sales: Sale[] }).sales;
  };
  const token = stack.tokens[0]?.token ?? '';
  const till = new Till({ url: stack.url, token }, token, stack.terminals[0]?.poiId);
  return { till, sales, close: () => stack.close() };
}

async function reverse(till: Till, serviceId: string, original: string, amount: number, name = 'return-9') {
  const { body } = await till.reverse(serviceId, original, { amount, ...sold(name) });
  expect(body.SaleToPOIResponse.ReversalResponse.Response.Result).toBe('Success');
}

test('reversals are shown in the sale of their payment, even those that only the store has (B510, B513)', async () => {
  const folder = aFolder();
  const before = await start(folder);
  const paid = await before.till.pay('1', 25, sold('order-1'));
  const original = paid.body.SaleToPOIResponse.PaymentResponse.POIData.POITransactionID.TransactionID;
  await reverse(before.till, '2', original, 10);
  await before.till.pay('3', 7.5, { ...refund, ...sold('return-2') });
  const known = await before.sales();
  expect(known).toMatchObject([
    { kind: 'cardRefund', saleReferenceId: 'POS1 return-2', charged: -7.5, outcomeText: 'refunded' },
    {
      ...{ kind: 'payment', saleReferenceId: 'POS1 order-1', amount: 25, charged: 15, told: 'told' },
      ...{ outcomeText: 'approved, 10.00 given back', callsText: 'POST, reversal' },
    },
  ]);
  await before.close();

  const after = await start(folder);
  const stored = await after.sales();
  const withoutCalls = ({ charged, kind, saleId, amount, attempts, outcomeText }: Sale) => ({
    ...{ charged, kind, saleId, amount, outcomeText },
    attempts: attempts.map(({ kind, payment, original, outcome, charged }) => ({
      ...{ kind, payment, original, outcome, charged },
    })),
  });
  expect(stored.map(withoutCalls)).toEqual(known.map(withoutCalls));
  await reverse(after.till, '4', original, 5);
  const [, sale] = await after.sales();
  expect(sale).toMatchObject({
    saleId: known[1]?.saleId,
    charged: 10,
    outcomeText: 'approved, 15.00 given back',
  });
  expect(sale?.attempts.map(({ kind, told }) => [kind, told])).toEqual([
    ['payment', 'unknown'],
    ['reversal', 'unknown'],
    ['reversal', 'told'],
  ]);
  expect(await after.sales('?kind=cardRefund')).toHaveLength(1);
  expect(await after.sales('?kind=payment')).toHaveLength(1);
});

test('more than twenty reversals of one payment are not a crowd, even in the store (B237, B513)', async () => {
  const folder = aFolder();
  const before = await start(folder);
  const paid = await before.till.pay('1', 25, sold('order-1'));
  const original = paid.body.SaleToPOIResponse.PaymentResponse.POIData.POITransactionID.TransactionID;
  for (let number = 2; number <= 23; number++)
    await reverse(before.till, `${number}`, original, 1, 'order-1');
  await before.close();
  const after = await start(folder);
  const [sale, ...others] = await after.sales();
  expect(others).toEqual([]);
  expect(sale).toMatchObject({ charged: 3, findings: [], attempts: { length: 23 } });
});
