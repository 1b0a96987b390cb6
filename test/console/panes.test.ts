import type { Page } from 'playwright-core';
import { describe, expect } from 'vitest';
import { testThoroughly, testWith } from '../optional-programs.ts';
import { openConsole } from './open-console.ts';

const testInChromium = testWith('/usr/bin/chromium');
const testInChromiumInCi = testThoroughly('/usr/bin/chromium');

const goTo = (page: Page, pane: string) => page.getByRole('link', { name: pane, exact: true }).click();

describe('payments in the console', () => {
  testInChromium('are listed as they happen, each with why, and with the books', async () => {
    const { page, harness, complaints } = await openConsole();
    await goTo(page, 'Payments');
    await page.getByText('No payment yet').waitFor();
    void harness.pay(5, { saleData: { saleReferenceId: '<b>order</b>' } });
    await harness.until('presentCard');
    await page.getByRole('row', { name: /EUR 5.00/ }).click();
    const detail = page.getByRole('complementary', { name: 'The chosen record' });
    const declines = page.waitForResponse((response) => response.url().endsWith('/outcome'));
    await detail.getByRole('button', { name: 'Decline it' }).click();
    await declines; // without this wait, the tap may reach the gateway before the decline
    await harness.act('tap', { card: 'visa-credit' });
    await detail.getByText('refusal', { exact: false }).first().waitFor();
    await page.getByText(/^The books agree/).waitFor();
    expect(await page.locator('b').count()).toBe(0);
    await detail.getByRole('link', { name: 'Its traffic' }).click();
    await page.getByRole('option', { name: 'PaymentRequest' }).waitFor();
    expect(complaints).toEqual([]);
  });

  testInChromiumInCi('have refunds that a test sends or fails', async () => {
    const { page, harness } = await openConsole();
    const charge = { amount: 30, to_bank_account_id: 'demo-bank-account', statement: 'ORDER 1' };
    const { body } = await harness.http<{ debit_id: string }>(
      'POST',
      '/contact/demo-customer/creditCards/demo-visa/charge',
      charge,
    );
    const reason = { amount: 10, reason: 'customer_request' };
    await harness.http('POST', `/debit/${body.debit_id}/refunds`, reason);
    await page.goto(`${harness.stack.url}/console#records?of=debits&id=${body.debit_id}`);
    const refund = page.getByRole('region', { name: /^Refund / });
    await refund.getByRole('button', { name: 'Send the refund to the bank now' }).click();
    await refund.getByText('submitted', { exact: true }).waitFor();
    await refund.getByRole('button', { name: 'Fail it' }).click();
    await refund.getByText('failed', { exact: true }).waitFor();
    await goTo(page, 'Events');
    await page.getByRole('cell', { name: 'payments.refunds.failed' }).waitFor();
  });

  testInChromiumInCi('show what lint finds as it appears', async () => {
    const { page, harness } = await openConsole();
    await goTo(page, 'Payments');
    await page.getByText('Lint finds nothing wrong').waitFor();
    void harness.pay(5);
    await page.getByText(/\d findings? about the point of sale/).click();
    await page.getByText('missing-key').waitFor();
  });
});

describe('scenarios in the console', () => {
  testInChromiumInCi('are recorded and shown, and can be downloaded', async () => {
    const { page, harness } = await openConsole();
    await goTo(page, 'Scenarios');
    await page.getByRole('button', { name: 'Record everything from now on' }).click();
    const stop = page.getByRole('button', { name: 'Stop recording' });
    await stop.waitFor();
    const paid = harness.pay(12.5);
    await harness.until('presentCard');
    await harness.act('tap', { card: 'visa-credit' });
    await paid;
    await stop.click();
    await page.getByText('- pay: 12.5').waitFor();
    const download = page.waitForEvent('download');
    await page.getByRole('button', { name: 'Download' }).click();
    expect((await download).suggestedFilename()).toBe('recorded.yaml');
    await page.getByRole('button', { name: /^Recorded/ }).click();
    await page.getByRole('button', { name: 'Play' }).click();
    await page.locator('.run-steps .done').nth(1).waitFor();
    await page.getByRole('button', { name: 'To the end' }).click();
    await page.getByText('passed', { exact: true }).waitFor();
    await page.locator('.run-screens [data-state=idle]').first().waitFor();
  });

  testInChromiumInCi(
    'are watched step by step, to the end, and again, apart from this gateway (B172)',
    async () => {
      const { page, complaints, harness } = await openConsole();
      await goTo(page, 'Scenarios');
      await page.getByRole('searchbox', { name: 'Find' }).fill('An amount of 0 is refused');
      await page.getByRole('button', { name: /^An amount of 0 is refused/ }).click();
      const steps = page.getByRole('list', { name: 'Steps' }).getByRole('listitem');
      const next = page.getByRole('button', { name: 'Next step' });
      await page.locator('.run-steps .waits').waitFor();
      expect(await page.locator('.run-steps .done').count()).toBe(0);
      await next.click();
      await page.locator('.run-steps .done').first().waitFor();
      await page.getByRole('button', { name: 'To the end' }).click();
      await page.getByText('passed', { exact: true }).waitFor();
      expect(await page.locator('.run-steps .done').count()).toBe(await steps.count());
      await page
        .getByRole('option', { name: /POST payment-request/ })
        .first()
        .waitFor();
      await page.getByRole('button', { name: 'Run it again' }).click();
      await page.locator('.run-steps .waits').waitFor();
      expect(await page.locator('.run-steps .done').count()).toBe(0);
      expect(
        harness
          .journal('http.received')
          .filter(({ data }) => JSON.stringify(data).includes('payment-request')),
      ).toEqual([]);
      expect(complaints).toEqual([]);
    },
  );
});

describe('long lists in the console', () => {
  testInChromiumInCi(
    'draw what is in view, read on where older ones are, and are gone through by keyboard',
    async () => {
      const { page, harness, complaints } = await openConsole();
      const charge = { to_bank_account_id: 'demo-bank-account', statement: '<img onerror=alert()>' };
      for (let amount = 150; amount <= 550; amount++)
        await harness.http('POST', '/contact/demo-customer/creditCards/demo-visa/charge', {
          ...charge,
          amount,
        });
      await goTo(page, 'Payments');
      await page.getByRole('link', { name: 'Debits and refunds' }).click();
      await page.getByText('200', { exact: true }).waitFor();
      expect(await page.getByRole('row').count()).toBeLessThan(100);
      await page.getByRole('row', { name: /EUR 550.00/ }).click();
      const detail = page.getByRole('complementary', { name: 'The chosen record' });
      await detail.getByRole('heading', { name: /EUR 550.00/ }).waitFor();
      await page.keyboard.press('ArrowDown');
      await detail.getByRole('heading', { name: /EUR 549.00/ }).waitFor();
      for (const loaded of ['400', '401']) {
        await page.keyboard.press('End');
        await page.getByText(loaded, { exact: true }).waitFor();
      }
      await page.keyboard.press('End');
      await detail.getByRole('heading', { name: /EUR 150.00/ }).waitFor();
      const table = page.getByRole('table', { name: 'Debits and refunds' });
      await table.getByRole('row', { name: /EUR 150.00/ }).waitFor();
      await page.getByRole('searchbox', { name: 'Find' }).fill('333');
      await page.getByText(/of 401/).waitFor();
      await table.getByRole('row', { name: /EUR 333.00/ }).waitFor();
      expect(await page.locator('img').count()).toBe(0);
      expect(complaints).toEqual([]);
    },
  );
});
