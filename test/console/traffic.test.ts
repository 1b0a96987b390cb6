import { expect } from 'vitest';
import { testThoroughly, testWith } from '../optional-programs.ts';
import { openConsole } from './open-console.ts';

const testInChromium = testWith('/usr/bin/chromium');
const testInChromiumInCi = testThoroughly('/usr/bin/chromium');

testInChromium('the traffic is narrowed to a terminal or a payment', async () => {
  const { page, harness, complaints } = await openConsole();
  const first = harness.pay(5);
  await harness.until('presentCard');
  await harness.act('tap', { card: 'visa-credit' });
  const { body } = await first;
  const { identifier, poiId } = harness.terminal(1);
  const path = `/terminals/${identifier}/payment-request`;
  void harness.http('POST', path, { paymentTransaction: { amountsReq: { requestedAmount: 8 } } });
  await harness.control('GET', `/terminals/${poiId}/screen?until=presentCard`);
  await page.getByRole('link', { name: 'Traffic', exact: true }).click();
  const accepted = (amount: string) => page.getByRole('option', { name: `EUR ${amount} accepted` });
  const terminal = page.getByRole('combobox', { name: 'Terminal' });
  await accepted('8.00').waitFor();
  await terminal.selectOption(poiId);
  await accepted('5.00').waitFor({ state: 'detached' });
  expect(await accepted('8.00').count()).toBe(1);
  await terminal.selectOption('all');
  await page.getByRole('combobox', { name: 'Payment' }).selectOption(body.identifier);
  await accepted('5.00').waitFor();
  expect(await accepted('8.00').count()).toBe(0);
  expect(complaints).toEqual([]);
});

testInChromiumInCi(
  'an entry that belongs to a request is shown with its own data, and with the request',
  async () => {
    const { page, harness } = await openConsole();
    void harness.pay(5);
    await harness.until('presentCard');
    await page.getByRole('link', { name: 'Traffic', exact: true }).click();
    await page.getByRole('checkbox', { name: 'details' }).check();
    await page.getByRole('option', { name: 'EUR 5.00 accepted' }).click();
    const detail = page.getByRole('region', { name: 'The selected entry' });
    await detail.getByText('payment.accepted').waitFor();
    const [accepted] = harness.journal('payment.accepted').map(({ data }) => data as { requestId: string });
    await expect.poll(() => detail.innerText()).toContain(`"requestId": "${accepted?.requestId}"`);
    expect(await detail.innerText()).toContain('/payment-request');
  },
);

testInChromiumInCi('what happens while the list is held comes when it goes on', async () => {
  const { page, harness } = await openConsole();
  const { journal } = harness.stack.runtime;
  await page.getByRole('link', { name: 'Traffic', exact: true }).click();
  journal.add('warning', { message: 'before' });
  await page.getByRole('option', { name: 'before' }).waitFor();
  await page.getByRole('button', { name: 'Pause' }).click();
  journal.add('warning', { message: 'meanwhile' });
  const count = page.locator('output.count');
  const all = harness.journal().length;
  await expect.poll(() => count.innerText()).toContain(`of ${all}`);
  expect(await page.getByRole('option', { name: 'meanwhile' }).count()).toBe(0);
  await page.getByRole('button', { name: 'Paused: go on' }).click();
  await page.getByRole('option', { name: 'meanwhile' }).waitFor();
});

testInChromiumInCi(
  'on a phone no control of the filters is beyond the edge, however long an identifier is',
  async () => {
    const { page, harness } = await openConsole({ viewport: { width: 390, height: 844 } });
    void harness.pay(5);
    await harness.until('presentCard');
    await page.getByRole('link', { name: 'Traffic', exact: true }).click();
    await page.getByRole('option', { name: 'EUR 5.00 accepted' }).waitFor();
    for (const control of await page
      .locator('.bar select, .bar button, .bar input:visible, .shell nav a')
      .all()) {
      const box = await control.boundingBox();
      if (box) expect(box.x + box.width).toBeLessThanOrEqual(390);
    }
  },
);

testInChromiumInCi(
  'the list follows what happens, however late the browser tells that it was scrolled',
  async () => {
    const { page, harness } = await openConsole();
    const { journal } = harness.stack.runtime;
    const add = (count: number) => journal.add('warning', { message: `entry ${count}` });
    for (let count = 0; count < 200; count++) add(count);
    await page.getByRole('link', { name: 'Traffic', exact: true }).click();
    await page.getByRole('option', { name: 'entry 199' }).waitFor();
    await page.evaluate(`{
      const rows = document.querySelector('.rows');
      rows.firstElementChild.style.height = '9000px'; // as if rows had been added after the page was scrolled
      rows.dispatchEvent(new Event('scroll'));
    }`);
    for (let count = 200; count < 300; count++) add(count);
    await page.getByRole('option', { name: 'entry 299' }).waitFor();
  },
);
