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
