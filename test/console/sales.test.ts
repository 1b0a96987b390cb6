import { expect } from 'vitest';
import { testThoroughly, testWith } from '../optional-programs.ts';
import { openConsole } from './open-console.ts';

/** Checks that the console shows at a glance what a point of sale did (B266, B267). */

const testInChromium = testWith('/usr/bin/chromium');
const testInChromiumInCi = testThoroughly('/usr/bin/chromium');

const reference = (saleReferenceId: string) => ({ saleData: { saleReferenceId } });

testInChromium('the last sales stand beside the terminals as they happen, and open', async () => {
  const { page, harness, complaints } = await openConsole();
  const latest = page.getByRole('region', { name: 'Sales' });
  await latest.getByText('No sale yet').waitFor();
  const paid = harness.pay(12.5, reference('sale-7KQ2'), { 'Idempotency-Key': 'key-7KQ2' });
  await latest.getByRole('link', { name: /12\.50 sale-7KQ2 POST open open/ }).waitFor();
  await harness.until('presentCard');
  await harness.act('tap', { card: 'not-enough-balance' });
  await paid;
  const line = latest.getByRole('link', { name: /EUR 12\.50 sale-7KQ2 POST declined: refusal/ });
  await line.click();
  const detail = page.getByRole('complementary', { name: 'The chosen sale' });
  const diagram = detail.getByRole('region', { name: 'Calls' });
  await diagram.getByText('POST payment-request 12.5, sale-7KQ2, key key-7KQ2').waitFor();
  await diagram.getByText('200 not approved: refusal: Not enough balance (210)').click();
  await page.getByRole('complementary', { name: 'The chosen line' }).getByText('"refusal"').first().waitFor();
  expect(complaints).toEqual([]);
});

testInChromiumInCi(
  'a sale says what is wrong with it, with its rule, and those without can be left out',
  async () => {
    const { page, harness } = await openConsole();
    const paid = harness.pay(5, reference('sale-0001'), { 'Idempotency-Key': 'key-0001' });
    await harness.until('presentCard');
    await harness.act('tap', { card: 'visa-credit' });
    await paid;
    const amount = { paymentTransaction: { amountsReq: { requestedAmount: 'ten' } } };
    const path = `/terminals/${harness.terminal(0).identifier}/payment-request`;
    const key = { 'Idempotency-Key': 'key-0002' };
    const refused = await harness.http('POST', path, { ...reference('sale-0002'), ...amount }, key);
    expect(refused.status).toBe(400);
    await page.getByRole('link', { name: 'Sales', exact: true }).first().click();
    const rows = page.getByRole('table', { name: 'Sales' }).locator('tbody tr');
    await expect
      .poll(() => rows.allInnerTexts())
      .toEqual([
        expect.stringMatching(/sale-0002.*⚠ refused-request: refused: 400 invalidRequest/s),
        expect.stringContaining('sale-0001'),
      ]);
    await page.getByRole('checkbox', { name: 'with findings only' }).check();
    await expect.poll(() => rows.count()).toBe(1);
    await rows.first().click();
    const findings = page.getByRole('complementary', { name: 'The chosen sale' }).locator('.sale-findings');
    expect(await findings.innerText()).toMatch(/^refused-request.*: .+\n.+/s);
    const [section] = await Promise.all([
      page.waitForEvent('popup'),
      findings.getByRole('link', { name: 'refused-request' }).click(),
    ]);
    const title = section.getByRole('heading', { name: 'refused-request' });
    await title.waitFor();
    expect(section.url()).toMatch(/\/console\/rules\.html#refused-request$/);
    const isInView = async () =>
      ((await title.boundingBox())?.y ?? 1e6) < (section.viewportSize()?.height ?? 0);
    await expect.poll(isInView).toBe(true);
  },
);

testInChromiumInCi(
  'a request that is of no sale is found on the first page, and among the sales (B255)',
  async () => {
    const { page, harness } = await openConsole();
    const path = `/terminals/${harness.terminal(0).identifier}/payment-request`;
    const amount = { paymentTransaction: { amountsReq: { requestedAmount: 5 } } };
    const unknown = { Authorization: 'Bearer somebody' };
    expect((await harness.http('POST', path, amount, unknown)).status).toBe(401);
    const strays = page.getByRole('list', { name: 'Requests of no sale' });
    await strays.getByRole('link', { name: 'was refused with 401' }).waitFor();
    await page.getByRole('link', { name: 'Sales', exact: true }).first().click();
    await page.getByText('No sale yet').waitFor();
    expect(await strays.innerText()).toMatch(/refused-request: send "Authorization: Bearer TOKEN"/);
  },
);

testInChromiumInCi(
  'a sale that went wrong says why beside the terminals, and above them in a narrow window (B316)',
  async () => {
    const { page, harness } = await openConsole();
    const pay = async (key: string) => {
      const paid = harness.pay(5, reference('sale-0001'), { 'Idempotency-Key': key });
      await harness.until('presentCard');
      await harness.act('tap', { card: 'visa-credit' });
      const { status } = await paid;
      await harness.until('idle');
      return status;
    };
    await harness.control('POST', '/faults', {
      fault: 'failAnswer',
      status: 503,
      path: '/terminals/{terminalId}/payment-request',
    });
    expect([await pay('one'), await pay('two')]).toEqual([503, 200]);
    const why =
      'the customer paid twice: sale sale-0001 was requested again with a new key, two, after a 503, although ' +
      'the earlier request with the key one may have been carried out';
    const latest = page.getByRole('region', { name: 'Sales' });
    await latest
      .getByRole('link', { name: /POST 503, POST ⚠ blind-payment-retry: approved ×2, your POS was not told/ })
      .getByText(why)
      .waitFor();
    const above = page.getByRole('link', { name: `⚠ sale-0001 POST 503, POST: ${why}` });
    expect(await above.isVisible()).toBe(false);
    await page.setViewportSize({ width: 375, height: 812 });
    await above.waitFor();
    expect((await above.boundingBox())?.y).toBeLessThan(300);
  },
);

testInChromiumInCi(
  'a selector of payments shows amount, time and outcome in place of an identifier',
  async () => {
    const { page, harness } = await openConsole();
    const paid = harness.pay(5);
    await harness.until('presentCard');
    await harness.act('tap', { card: 'visa-credit' });
    await paid;
    await page.getByRole('link', { name: 'Traffic', exact: true }).click();
    const select = page.getByRole('combobox', { name: 'Payment' });
    await expect
      .poll(() => select.locator('option').allInnerTexts())
      .toEqual(['all', '09:00:00 EUR 5.00 success']);
  },
);

testInChromiumInCi('the traffic of a payment from before a restart says why it is not there', async () => {
  const { page } = await openConsole();
  await page.evaluate("location.hash = '#traffic?payment=019b78c9-0a80-7000-8000-0ab6c0ee9b5e'");
  await page.getByText('The journal is empty. It begins at the start of pinpad.').waitFor();
  const shown = await page.getByRole('combobox', { name: 'Payment' }).locator('option:checked').innerText();
  expect(shown).toBe('…9b5e');
});

testInChromiumInCi('insert, tap and swipe stand at each device, with the chosen card', async () => {
  const { page, harness } = await openConsole();
  const { poiId } = harness.terminal(0);
  const paid = harness.pay(5);
  await harness.until('presentCard');
  const device = page.getByRole('article', { name: `Terminal ${poiId}` });
  const ways = device.getByRole('group', { name: /^Visa credit/ });
  expect(await ways.getByRole('button').allInnerTexts()).toEqual(['Insert', 'Tap', 'Swipe', 'Key in']);
  await ways.getByRole('button', { name: 'Tap' }).click();
  expect((await paid).body.response.result).toBe('success');
});
