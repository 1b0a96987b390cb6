import type { Page } from 'playwright-core';
import { describe, expect } from 'vitest';
import { sampleCases } from '../draws.ts';
import { testThoroughly, testWith } from '../optional-programs.ts';
import { openConsole } from './open-console.ts';

/* Checks what every pane does for every user, on every device, and with any input from a point of sale. */

const testInChromium = testWith('/usr/bin/chromium');
const testInChromiumInCi = testThoroughly('/usr/bin/chromium');
const panes = ['Terminals', 'Traffic', 'Payments', 'What goes wrong', 'Scenarios'];

const goTo = (page: Page, pane: string) => page.getByRole('link', { name: pane, exact: true }).click();
const isWider = 'document.documentElement.scrollWidth > document.documentElement.clientWidth';

describe.each(
  sampleCases(
    [
      ['a phone', { viewport: { width: 390, height: 844 }, hasTouch: true }],
      [
        'a screen at 200 % in the dark',
        { viewport: { width: 700, height: 450 }, deviceScaleFactor: 2, colorScheme: 'dark' as const },
      ],
    ] as const,
    2,
  ),
)('the console on %s', (_, options) => {
  testInChromium('every pane can be used, and nothing is wider than the screen', async () => {
    const { page, complaints } = await openConsole(options);
    for (const pane of panes) {
      await goTo(page, pane);
      await page.locator(`main[class^=pane-]`).waitFor();
      expect(await page.evaluate<boolean>(isWider), pane).toBe(false);
    }
    await goTo(page, 'Terminals');
    await page.getByLabel('Amount').fill('5');
    await page.getByRole('button', { name: 'Ring up a sale' }).click();
    const device = page.getByRole('article').first();
    await device.getByText('Present card').waitFor();
    await page.getByRole('button', { name: 'Tap', exact: true }).first().click();
    await device.getByRole('link', { name: 'Approved' }).waitFor();
    expect(complaints).toEqual([]);
  });
});

testInChromiumInCi(
  'a quick finger drags a card by its picture to the slot, and later taps count',
  async () => {
    const { page, harness } = await openConsole({
      viewport: { width: 390, height: 844 },
      hasTouch: true,
    });
    void harness.pay(5);
    const device = page.getByRole('article').first();
    await device.getByText('Present card').waitFor();
    const slot = device.getByRole('button', { name: 'Insert the chosen card' });
    await slot.scrollIntoViewIfNeeded();
    const from = await page
      .getByRole('button', { name: /^Visa credit/ })
      .locator('.art')
      .boundingBox();
    const to = await slot.boundingBox();
    if (!from || !to) throw new Error('not on the screen');
    const session = await page.context().newCDPSession(page);
    const start = Date.now() / 1000;
    /**
     * Touches the page. `after` is the time since `start`, in seconds. The whole move takes 0.03 s, so Chromium could
     * take it for a fling.
     */
    const touch = (type: string, after: number, points: { x: number; y: number }[]) =>
      session.send('Input.dispatchTouchEvent', {
        type: type as 'touchStart',
        touchPoints: points,
        timestamp: start + after,
      });
    await touch('touchStart', 0, [{ x: from.x + 10, y: from.y + 10 }]);
    await touch('touchMove', 0.01, [{ x: from.x + 40, y: from.y - 40 }]);
    await touch('touchMove', 0.02, [{ x: to.x + to.width / 2, y: to.y + 10 }]);
    await touch('touchEnd', 0.03, []);
    await device.getByText('Enter PIN').waitFor();
    const keypad = page.getByRole('group', { name: 'Keypad' }).first();
    for (const key of ['1', '2', '3', '4', 'Enter'])
      await keypad.getByRole('button', { name: key, exact: true }).tap();
    await device.getByText('Remove card').waitFor();
  },
);

testInChromiumInCi('every control has a name that a screen reader says', async () => {
  const { page, harness } = await openConsole();
  void harness.pay(5);
  await page.getByText('Present card').waitFor();
  for (const pane of panes) {
    await goTo(page, pane);
    await page.locator(`main[class^=pane-]`).waitFor();
    const tree = await page.locator('body').ariaSnapshot();
    const nameless = tree
      .split('\n')
      .filter((line) =>
        /^\s*- (button|link|textbox|searchbox|combobox|checkbox|slider|spinbutton|listbox|article|option)(:| \[|$)/.test(
          line,
        ),
      );
    expect(nameless, pane).toEqual([]);
  }
});

testInChromiumInCi('what a point of sale sends is text, wherever it is shown', async () => {
  const everyRowIsDrawn = { viewport: { width: 1280, height: 3000 } };
  const { page, harness, complaints } = await openConsole(everyRowIsDrawn, { cards: [hostileCard] });
  const evil = '<img src=x onerror="document.title=1">';
  await harness.http(
    'POST',
    `/terminals/${harness.terminalId}/payment-request?x=${encodeURIComponent(evil)}`,
    '{"a":1}',
    {
      'idempotency-key': 'x<script>document.title=2</script>',
    },
  );
  const paid = harness.pay(
    5,
    { saleData: { saleReferenceId: evil } },
    { 'idempotency-key': evil, prefer: evil },
  );
  await harness.until('presentCard');
  await page.getByRole('searchbox', { name: 'Cards' }).fill('onerror');
  await page.getByRole('button', { name: /onerror/ }).click();
  await page.getByRole('button', { name: 'Tap', exact: true }).first().click();
  await paid;
  await page.getByText('Receipts').first().click();
  for (const pane of panes) {
    await goTo(page, pane);
    await page.locator(`main[class^=pane-]`).waitFor();
    if (pane === 'Traffic')
      for (const row of await page.getByRole('option', { name: /POST/ }).all()) await row.click();
    if (pane === 'Payments') await page.getByRole('row', { name: /EUR 5.00/ }).click();
    expect(await page.locator('img, main script').count()).toBe(0);
  }
  expect(await page.title()).toBe('pinpad');
  expect(complaints).toEqual([]);
});

const hostileCard = {
  id: 'hostile',
  label: '<img src=x onerror=alert(1)>',
  number: '4111111111111111',
  expiry: '1230',
  country: '826',
  funding: 'credit' as const,
  applications: [{ aid: 'A0000000031010', label: '<b>VISA</b>', brand: 'visa' as const, debit: false }],
  contactless: { limit: 50, aboveLimit: 'allow' as const },
  keyed: true,
  note: '<i>note</i>',
};

testInChromiumInCi('ten thousand entries are searched and scrolled while few of them are drawn', async () => {
  const { page, harness } = await openConsole();
  const { journal } = harness.stack.runtime;
  for (let count = 0; count < 10_000; count++) journal.add('warning', { message: `entry ${count}` });
  await goTo(page, 'Traffic');
  await page.getByRole('option', { name: 'entry 9999' }).waitFor();
  expect(await page.getByRole('option').count()).toBeLessThan(100);
  await page.getByRole('searchbox', { name: 'Find' }).fill('entry 77');
  await page.getByText(/^1 of 111 hits$/).waitFor();
  await page.keyboard.press('Shift+Enter');
  await page.getByRole('option', { name: 'entry 7799', selected: true }).waitFor();
});
