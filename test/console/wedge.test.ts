import type { CDPSession, Page } from 'playwright-core';
import { describe, expect, onTestFinished } from 'vitest';
import { typedSwipes } from '../../terminal-emulator/readers/wedge/typed-swipes.fixture.ts';
import { isThoroughRun, sampleCases } from '../draws.ts';
import { testThoroughly, testWith } from '../optional-programs.ts';
import { openConsole } from './open-console.ts';

/**
 * Checks the console with card readers that type like keyboards, on computers with any keyboard layout
 * (B163, B207, B208).
 */

const testInChromium = testWith('/usr/bin/chromium');
const testInChromiumInCi = testThoroughly('/usr/bin/chromium');

/**
 * Matches the names of the swipes to test. Each swipe takes the browser a long time, so some swipes are tested only in
 * CI.
 */
const shown = isThoroughRun
  ? /, track 2$|^French, both|^US, no sentinels$/
  : /^(German|French), track 2$|^US, no sentinels$/;
const swipes = typedSwipes
  .filter(([name]) => shown.test(name))
  .map(([name, typed]) => [name, `${typed.slice(0, 24)}${typed.slice(-2)}`] as const);
const timeout = 120_000;

const display = (page: Page) => page.getByRole('article').first().getByRole('status', { name: 'Display' });

/** Presses a key of any keyboard layout. Playwright's own function knows only the US layout. */
async function press(keyboard: CDPSession, character: string): Promise<void> {
  const key = character === '\r' ? { key: 'Enter', windowsVirtualKeyCode: 13 } : { key: character };
  await keyboard.send('Input.dispatchKeyEvent', { type: 'keyDown', text: character, ...key });
}

async function setup() {
  const opened = await openConsole();
  const { page } = opened;
  await page.clock.install();
  onTestFinished(() => page.clock.resume());
  const keyboard = await page.context().newCDPSession(page);
  /** Types as a card reader does. The pauses between keys pass on the page's clock. */
  const type = async (typed: string, everyMs: number) => {
    for (const character of typed) {
      await press(keyboard, character);
      await page.clock.runFor(everyMs);
    }
    await page.clock.runFor(3_000);
  };
  const stopTime = async () => page.clock.pauseAt(await page.evaluate(() => Date.now() + 1_000));
  return { ...opened, type, stopTime };
}

type Console = Awaited<ReturnType<typeof setup>>;

const places: Record<string, (console: Console) => Promise<void>> = {
  PIN: async ({ page, harness }) => {
    void harness.pay(7);
    await display(page).getByText('Present card').waitFor();
    await page.keyboard.press('i');
    await display(page).getByText('Enter PIN').waitFor();
  },
  tip: async ({ page, harness }) => {
    void harness.pay(7, { gratuity: { enabled: true } });
    await display(page).getByText('Add a tip?').waitFor();
  },
  amount: async ({ page }) => page.getByLabel('Amount').focus(),
  search: async ({ page }) => page.getByRole('searchbox', { name: 'Cards' }).focus(),
};

describe('a swipe of any layout at the console is not taken for keys, shown or kept (B207)', () => {
  for (const [place, goTo] of sampleCases(Object.entries(places), 4))
    testInChromium(`at the ${place}`, { timeout }, async () => {
      const console = await setup();
      const { page, harness, type, stopTime } = console;
      await goTo(console);
      await stopTime();
      const before = await display(page).innerText();
      const state = async () => ({
        display: await display(page).innerText(),
        amount: await page.getByLabel('Amount').inputValue(),
        search: await page.getByRole('searchbox', { name: 'Cards' }).inputValue(),
        keys: harness.journal('terminal.key'),
      });
      for (const everyMs of sampleCases([8, 15, 40, 60], 3))
        for (const [name, typed] of swipes) {
          const read = harness.journal('reader.event').length;
          await type(typed, everyMs);
          await expect
            .poll(() => harness.journal('reader.event').length, { timeout: 5_000 })
            .toBeGreaterThan(read);
          expect([name, everyMs, await state()]).toEqual([
            name,
            everyMs,
            { display: before, amount: '', search: '', keys: [] },
          ]);
        }
      await page.getByText('--wedge off').waitFor();
      expect(await page.content()).not.toContain('4761739');
      expect(JSON.stringify(harness.journal())).not.toContain('4761739');
    });
});

describe('typing at the console is taken for keys, in order (B207, B208)', () => {
  testInChromiumInCi('into a field, with all that goes between: erasing, moving, Tab, a click', async () => {
    const { page } = await openConsole();
    const [search, amount] = [page.getByRole('searchbox', { name: 'Cards' }), page.getByLabel('Amount')];
    await search.focus();
    await page.keyboard.type('vixb');
    await page.keyboard.press('Backspace');
    await page.keyboard.press('Backspace');
    await page.keyboard.type('sq');
    await page.keyboard.press('ArrowLeft');
    await page.keyboard.type('a');
    expect(await search.inputValue()).toBe('visq');
    await expect.poll(() => search.inputValue()).toBe('visaq');
    await page.keyboard.type('ab');
    await page.keyboard.press('ControlOrMeta+A');
    await page.keyboard.type('debit');
    await expect.poll(() => search.inputValue()).toBe('debit');
    await amount.focus();
    await page.keyboard.type('43.3');
    await page.keyboard.press('Tab');
    expect(await amount.inputValue()).toBe('43.3');
    await page.keyboard.press('Space');
    expect(await page.getByLabel('ask for a tip').isChecked()).toBe(true);
    await amount.focus();
    await page.keyboard.press('End');
    await page.keyboard.type('5');
    await page.getByRole('button', { name: 'Ring up a sale' }).click();
    await display(page).getByText('€43.35').waitFor();
    await display(page).getByText('Add a tip?').waitFor();
  });

  testInChromiumInCi('all at once: an amount with Enter, a search, a PIN', async () => {
    const { page, harness, complaints } = await setup();
    await page.clock.resume();
    await page.keyboard.type('a43.30\n');
    await display(page).getByText('€43.30').waitFor();
    await page.keyboard.type('/visa credit\ni');
    await display(page).getByText('Enter PIN').waitFor();
    await page.keyboard.type('1234\n');
    await display(page).getByText('Remove card').waitFor();
    expect(harness.journal('reader.event')).toEqual([]);
    expect(complaints).toEqual([]);
  });

  testInChromiumInCi('a digit that is held down, into a field', async () => {
    const { page, stopTime, harness } = await setup();
    const amount = page.getByLabel('Amount');
    await amount.focus();
    await stopTime();
    for (let at = 0; at < 60; at++) {
      await page.keyboard.down('0');
      await page.clock.runFor(at === 0 ? 500 : 33);
    }
    await page.keyboard.up('0');
    await page.clock.runFor(70);
    expect(await amount.inputValue()).toBe('0'.repeat(60));
    expect(harness.journal('reader.event')).toEqual([]);
  });

  testInChromiumInCi(
    'a number where the terminal asks for one; the same in a search is a swipe',
    async () => {
      const { page, harness, stopTime } = await setup();
      void harness.pay(7);
      await display(page).getByText('Present card').waitFor();
      await harness.until('presentCard');
      await page.keyboard.press('4');
      await harness.until('keyedNumber');
      await expect.poll(() => display(page).innerText()).toContain('4');
      await stopTime();
      await page.keyboard.type('111111111111111\n');
      await page.clock.runFor(70);
      await harness.until('keyedExpiry');
      expect(harness.journal('reader.event')).toEqual([]);
      const search = page.getByRole('searchbox', { name: 'Cards' });
      await search.focus();
      await page.keyboard.type('4111111111111112\n');
      await page.clock.runFor(3_000);
      await expect.poll(() => harness.journal('reader.event').length).toBe(1);
      expect(await search.inputValue()).toBe('');
    },
  );

  testInChromiumInCi('characters that are inserted without a key, as accents are', async () => {
    const { page, stopTime } = await setup();
    const search = page.getByRole('searchbox', { name: 'Cards' });
    await search.focus();
    await stopTime();
    await page.keyboard.type('größe');
    await page.clock.runFor(70);
    expect(await search.inputValue()).toBe('größe');
    await page.keyboard.type('ö4761739001010010´2712_\n');
    await page.clock.runFor(3_000);
    expect(await search.inputValue()).toBe('größe');
  });
});
