import { expect, onTestFinished, test } from 'vitest';
import { PaymentsHarness, testIds } from '../gateway/payments/payments-harness.fixture.ts';
import { ownSellers } from '../shared/sales/sale.ts';
import { takePayment } from './sale.ts';

test.each(ownSellers)("a sale that %s makes is marked as pinpad's own (B238)", async (by) => {
  const harness = await PaymentsHarness.start();
  onTestFinished(() => harness.stop());
  const terminal = await harness.terminal().connect();
  const body = { paymentTransaction: { amountsReq: { requestedAmount: 25 } } };
  const { url, token, clock } = harness;
  const sale = { url, token, by, terminalId: testIds.terminal, idempotencyKey: 'k', body };
  const paid = takePayment(sale, clock);
  await terminal.pay();
  await paid;
  const { sales } = await harness.services.sales.page({}, undefined, 10);
  expect(sales).toMatchObject([{ own: by, told: 'told' }]);
});
