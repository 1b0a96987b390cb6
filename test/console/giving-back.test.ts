import { expect } from 'vitest';
import { Till } from '../../gateway/dialects/adyen/till.fixture.ts';
import { testThoroughly } from '../optional-programs.ts';
import { openConsole } from './open-console.ts';

/** Shows in the console the money that was given back at a terminal (B516). */

const testInChromium = testThoroughly('/usr/bin/chromium');
const shopper = { card: 'visa-credit', entry: 'Contactless', tip: 'none', thinkMs: 0 } as const;

/** Prepares a till that was paid 25, gave 10 of that back, and then refunded 7.50 to a card. */
async function setup() {
  const opened = await openConsole({}, { adyen: true, shopper, pacing: 'instant' });
  const { harness } = opened;
  const token = harness.stack.tokens[0]?.token ?? '';
  const till = new Till({ url: harness.stack.url, token }, token, harness.stack.terminals[0]?.poiId);
  const sale = (TransactionID: string) => ({
    sale: { SaleTransactionID: { TransactionID, TimeStamp: '2026-01-01T00:00:00.000Z' } },
  });
  const paid = (await till.pay('1', 25, sale('order-1'))).body.SaleToPOIResponse.PaymentResponse;
  const original = paid.POIData.POITransactionID.TransactionID;
  const reversed = await till.reverse('2', original, { amount: 10, sale: null });
  expect(reversed.body.SaleToPOIResponse.ReversalResponse.Response.Result).toBe('Success');
  const payment = { PaymentData: { PaymentType: 'Refund' } };
  await till.pay('3', 7.5, { payment, ...sale('return-2') });
  return opened;
}

testInChromium(
  'stands at the sale and at the payment that it is of, and leads from one to the other (B516)',
  async () => {
    const { page, harness, complaints } = await setup();
    await page.goto(`${harness.stack.url}/console#sales`);
    const rows = page.getByRole('table', { name: 'Sales' }).locator('tbody tr');
    await expect
      .poll(() => rows.allInnerTexts())
      .toEqual([
        expect.stringMatching(/POS1 return-2.*EUR 7\.50.*refund.*refunded/s),
        expect.stringMatching(/POS1 order-1.*EUR 25\.00.*POST, reversal.*approved, 10\.00 given back/s),
      ]);
    await rows.nth(1).click();
    const sale = page.getByRole('complementary', { name: 'The chosen sale' });
    await sale.getByText(/reversal of EUR 10\.00 begins on/).waitFor();
    expect(await sale.innerText()).toMatch(/Charged\s+EUR 15\.00[\s\S]*Given back\s+EUR 10\.00/);
    await sale
      .getByRole('listitem')
      .filter({ hasText: /reversal\s+success/ })
      .getByRole('link')
      .click();
    const record = page.getByRole('complementary', { name: 'The chosen record' });
    await record.getByRole('heading', { name: 'Reversal of EUR 10.00 success' }).waitFor();
    await record.getByText('refunded').waitFor();
    await record.getByRole('link', { name: 'a payment' }).click();
    await record.getByRole('heading', { name: 'EUR 25.00 success' }).waitFor();
    expect(await record.innerText()).toMatch(/Given back of it\s+EUR 10\.00/);
    const payments = page.getByRole('table', { name: 'Payments' }).locator('tbody tr');
    await expect
      .poll(() => payments.allInnerTexts())
      .toEqual([
        expect.stringContaining('refund: success'),
        expect.stringContaining('reversal: success'),
        expect.not.stringContaining(': success'),
      ]);
    await page.getByText(/^The books agree/).waitFor();
    expect(complaints).toEqual([]);
  },
);

testInChromium('is compared with what is counted: the books say where they differ (B516)', async () => {
  const { page, harness } = await setup();
  const { store } = harness.stack.gateway;
  await store.write(async (db) => void (await db.updateTable('given_back').set({ amount: 400 }).execute()));
  await page.goto(`${harness.stack.url}/console#records?of=payments`);
  const books = page.getByRole('status').filter({ hasText: 'The books do not agree' });
  await books
    .getByText(/took EUR 25\.00, counted as given back EUR 4\.00, given back by its reversals EUR 10\.00/)
    .waitFor();
});
