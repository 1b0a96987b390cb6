import type { Page } from 'playwright-core';
import { describe, expect } from 'vitest';
import { testThoroughly, testWith } from '../optional-programs.ts';
import { openConsole } from './open-console.ts';

const testInChromium = testWith('/usr/bin/chromium');
const testInChromiumInCi = testThoroughly('/usr/bin/chromium');

const device = (page: Page, number = 0) => page.getByRole('article').nth(number);
const display = (page: Page, number = 0) => device(page, number).getByRole('status', { name: 'Display' });

describe('a terminal in the console', () => {
  testInChromium('takes a whole sale by mouse: rung up, card dragged to the slot, PIN pressed', async () => {
    const { page, complaints, fetched, harness } = await openConsole();
    await page.getByLabel('Amount').fill('12,50');
    await page.getByRole('button', { name: 'Ring up a sale' }).click();
    await display(page).getByText('€12.50').waitFor();
    const card = page.getByRole('button', { name: /^Visa credit/ });
    await card.dragTo(device(page).getByRole('button', { name: 'Insert the chosen card' }));
    await display(page).getByText('Enter PIN').waitFor();
    const keypad = page.getByRole('group', { name: 'Keypad' }).first();
    for (const key of ['1', '2', '3', '4', 'Enter'])
      await keypad.getByRole('button', { name: key, exact: true }).click();
    await display(page).getByText('Remove card').waitFor();
    await device(page)
      .getByRole('button', { name: /^Remove Visa/ })
      .click();
    await device(page).getByRole('link', { name: 'Approved EUR 12.50' }).waitFor();
    await device(page).getByText('Receipts').click();
    await device(page).getByText('Visa', { exact: false }).first().waitFor();
    expect(await device(page).locator('.paper').innerText()).toContain('12.50');
    expect(await device(page).getByText('From an older payment').count()).toBe(0);
    await page.getByLabel('Amount').fill('5');
    await page.getByRole('button', { name: 'Ring up a sale' }).click();
    await device(page).getByText('From an older payment').waitFor();
    const journal = JSON.stringify(harness.journal());
    expect(journal).not.toContain('"key":"3"');
    expect(complaints).toEqual([]);
    expect(new Set(fetched.map((url) => new URL(url).host))).toEqual(
      new Set([new URL(harness.stack.url).host]),
    );
  });

  testInChromium('says why a sale was refused, and keeps its amount', async () => {
    const { page } = await openConsole();
    await page.getByLabel('Amount').fill('12.345');
    await page.getByRole('button', { name: 'Ring up a sale' }).click();
    await page.getByRole('alert').getByText('more decimals than EUR has').waitFor();
    expect(await page.getByLabel('Amount').inputValue()).toBe('12.345');
  });

  testInChromiumInCi(
    'takes a whole sale by keyboard alone, with the same letters as the text screen',
    async () => {
      const { page, complaints } = await openConsole();
      await page.keyboard.press('a');
      await page.keyboard.type('20');
      await page.keyboard.press('Enter');
      await display(page).getByText('€20.00').waitFor();
      await page.keyboard.press('/');
      await page.keyboard.type('mastercard credit');
      await page.keyboard.press('Enter');
      await page.keyboard.press('i');
      await display(page).getByText('Enter PIN').waitFor();
      await page.keyboard.type('123');
      await page.keyboard.press('Backspace');
      await page.keyboard.type('34');
      await page.keyboard.press('Enter');
      await display(page).getByText('Remove card').waitFor();
      await page.keyboard.press('r');
      await device(page).getByRole('link', { name: 'Approved' }).waitFor();
      expect(complaints).toEqual([]);
    },
  );

  testInChromiumInCi('shows what the control API says of the same moment, on both terminals', async () => {
    const { page, harness } = await openConsole();
    void harness.pay(7);
    await display(page).getByText('Present card').waitFor();
    await device(page).getByRole('link', { name: 'EUR 7.00 under way' }).waitFor();
    expect(await display(page, 1).innerText()).toContain('Ready');
    await page.getByRole('heading', { name: `${harness.terminal(1).poiId} Demo Shop` }).waitFor();
    await page.keyboard.press('ArrowRight');
    await page.keyboard.press('p');
    await page.locator('.device[data-state=off]').waitFor();
    expect(await device(page, 1).getAttribute('data-state')).toBe('off');
    await page.keyboard.press('ArrowLeft');
    await page.keyboard.press('Escape');
    await device(page)
      .getByRole('link', { name: /^EUR 7.00: cancel/ })
      .waitFor();
  });

  testInChromiumInCi('leaves the keyboard to the terminal after a click on a card or a key', async () => {
    const { page, harness } = await openConsole();
    void harness.pay(7);
    await display(page).getByText('Present card').waitFor();
    await page.getByRole('button', { name: /^Visa credit/ }).click();
    await page.keyboard.press('i');
    await display(page).getByText('Enter PIN').waitFor();
    await device(page).getByRole('button', { name: '1', exact: true }).click();
    await page.keyboard.type('234\n');
    await display(page).getByText('Remove card').waitFor();
  });

  testInChromiumInCi(
    'takes Enter for the green key after a sale was rung up by mouse, and rings up no second',
    async () => {
      const { page, harness } = await openConsole();
      await page.getByLabel('Amount').fill('60');
      await page.getByRole('button', { name: 'Ring up a sale' }).click();
      await display(page).getByText('Present card').waitFor();
      await page.keyboard.press('i');
      await display(page).getByText('Enter PIN').waitFor();
      await page.keyboard.type('1234\n');
      await display(page).getByText('Remove card').waitFor();
      expect(await page.getByRole('alert').allInnerTexts()).not.toContain('Type an amount such as 12.50');
      expect(harness.journal().filter(({ kind }) => kind === 'payment.accepted')).toHaveLength(1);
    },
  );

  testInChromium('says why something is not possible', async () => {
    const { page } = await openConsole();
    await page.keyboard.press('r');
    await device(page).getByText('no card', { exact: false }).waitFor();
  });
});

describe('a keyboard-wedge reader at the console (B163)', () => {
  const burst = '%B4111111111111111^CARDHOLDER/TEST^3012101000000000000?;4111111111111111=30121010000000000?';

  /**
   * Types into the element with the focus, as a card reader does. On the page's clock, no time passes between two keys.
   */
  const typeBurst = async (page: Page, text = burst) => {
    await page.clock.pauseAt(await page.evaluate(() => Date.now() + 1000));
    await page.keyboard.type(`${text}\n`);
    await page.clock.resume();
  };

  const openAtClock = async () => {
    const opened = await openConsole();
    await opened.page.clock.install();
    return opened;
  };

  testInChromiumInCi(
    'swipes on the terminal in view; no digit is a key, on the page or in the journal',
    async () => {
      const { page, harness } = await openAtClock();
      void harness.pay(7);
      await display(page).getByText('Present card').waitFor();
      await typeBurst(page);
      await expect.poll(() => JSON.stringify(harness.journal('reader.event'))).toContain('411111 **** 1111');
      expect(harness.journal('terminal.key')).toEqual([]);
      expect(JSON.stringify(harness.journal())).not.toContain('4111111111111111');
      expect(await page.content()).not.toContain('4111111111111111');
    },
  );

  testInChromiumInCi('does not type into the field that has the focus; a hand does', async () => {
    const { page, harness } = await openAtClock();
    const search = page.getByRole('searchbox', { name: 'Cards' });
    await search.focus();
    await page.keyboard.type('vi;sa', { delay: 30 });
    await expect.poll(() => search.inputValue()).toBe('vi;sa');
    await typeBurst(page);
    await expect.poll(() => harness.journal('reader.event').length).toBe(1);
    expect(await search.inputValue()).toBe('vi;sa');
  });

  testInChromiumInCi('says so where a burst is no track, and lets nothing of it through', async () => {
    const { page, harness } = await openAtClock();
    void harness.pay(7);
    await display(page).getByText('Present card').waitFor();
    await typeBurst(page, ';4111111111111111'); // the rest of the swipe is cut off
    await page.getByText('no readable card track').waitFor();
    expect(harness.journal('terminal.key')).toEqual([]);
    expect(JSON.stringify(harness.journal())).not.toContain('4111111111111111');
    expect(await page.content()).not.toContain('4111111111111111');
  });

  testInChromium('is a keyboard where it is switched off', async () => {
    const { page, harness } = await openConsole({}, { readers: { rules: [], wedge: false } });
    await page.getByRole('searchbox', { name: 'Cards' }).focus();
    await page.keyboard.type(';41111');
    expect(await page.getByRole('searchbox', { name: 'Cards' }).inputValue()).toBe(';41111');
    expect(harness.journal('reader.event')).toEqual([]);
  });
});
