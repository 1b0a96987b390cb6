import { afterEach, expect, test } from 'vitest';
import { createRuntime } from '../../shared/create-runtime.ts';
import { temporaryDatabaseFile } from '../../shared/database/temporary-file.fixture.ts';
import type { Sale } from '../../shared/sales/sale.ts';
import { PaymentsHarness } from '../payments/payments-harness.fixture.ts';

let harness: PaymentsHarness;
afterEach(() => harness.stop());

const control = { token: 'control-token-of-test' };
const list = async () =>
  ((await harness.call('GET', '/control/sales', control)).body as unknown as { sales: Sale[] }).sales;
const rulesIn = (sales: readonly Sale[]) => sales.flatMap(({ findings }) => findings.map(({ rule }) => rule));

async function pay(from: number, to: number): Promise<void> {
  const terminal = await harness.terminal().connect();
  for (let number = from; number <= to; number++) {
    const more = { saleData: { saleReferenceId: 'all' } };
    const paying = harness.pay(25, { key: `k${number}`, more });
    await terminal.pay();
    await paying;
  }
}

test('a reference that too many stored payments share does not join them into a sale after a restart (B237)', async () => {
  const file = temporaryDatabaseFile();
  harness = await PaymentsHarness.start({ file });
  await pay(1, 22);
  await harness.stop();
  harness = await PaymentsHarness.start({ file, runtime: createRuntime({ clock: 'virtual', seed: 8 }) });
  expect(rulesIn(await list())).toEqual(['shared-reference']);
  await pay(23, 24);
  const sales = await list();
  expect(sales).toHaveLength(24);
  expect(new Set(sales.map(({ saleId }) => saleId)).size).toBe(24);
  expect(sales.every(({ attempts }) => attempts.length === 1)).toBe(true);
  expect(rulesIn(sales)).toContain('shared-reference');
});

test('the parts of a divided sale keep the findings about their requests (B255)', async () => {
  harness = await PaymentsHarness.start({ lint: true });
  await pay(1, 2);
  const terminal = await harness.terminal().connect();
  const paying = harness.pay(25, { more: { saleData: { saleReferenceId: 'all' } } });
  await terminal.pay();
  const { identifier } = (await paying).body;
  await pay(4, 20);
  expect(rulesIn(await list())).toEqual(['missing-key']);
  const streamed: Sale[] = [];
  const stop = harness.services.sales.listen((sale) => streamed.push(sale));
  await pay(21, 21);
  stop();
  const isBlamed = ({ findings }: Sale) => findings.some(({ rule }) => rule === 'missing-key');
  expect(streamed.findLast(({ saleId }) => saleId === identifier)).toSatisfy(isBlamed);
  const sales = await list();
  expect(sales).toHaveLength(21);
  expect(sales.filter(isBlamed).map(({ saleId }) => saleId)).toEqual([identifier]);
});
