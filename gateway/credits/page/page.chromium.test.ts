import { join } from 'node:path';
import type { BrowserContextOptions } from 'playwright-core';
import { expect, onTestFinished } from 'vitest';
import { testThoroughly, testWith } from '../../../test/optional-programs.ts';
import { openPage } from '../../../test/trace/browser.ts';
import { makeLink, startHarnessWithQuestion } from '../customer.fixture.ts';

const withChromium = testWith('/usr/bin/chromium');
const withChromiumInCi = testThoroughly('/usr/bin/chromium');
/** The folder for screenshots; undefined if none are wanted. */
const pictures = process.env.PINPAD_SCREENSHOTS;

/** Opens a link in a new browser context, and collects the errors that occur in it. */
async function browse(address: string, options: BrowserContextOptions = {}) {
  const { page, complaints, fetched } = await openPage(address, { locale: 'en-GB', ...options });
  const picture = async (name: string) => {
    if (pictures !== undefined)
      await page.screenshot({ path: join(pictures, `${name}.png`), fullPage: true });
  };
  const widthFits = () =>
    page.evaluate('document.documentElement.scrollWidth <= document.documentElement.clientWidth');
  /**
   * Gives the errors that are real faults. The browser's console also reports every answer with the status 422. Such
   * an answer is not a fault: it means that the customer gave a wrong answer.
   */
  const faults = () => complaints.filter((text) => !/status of (422|410|429)/.test(text));
  return { page, faults, requests: fetched, picture, widthFits };
}

async function link(changes: object = {}): Promise<string> {
  const harness = await startHarnessWithQuestion({ account: { name: 'Café Müller & Söhne' } });
  onTestFinished(() => harness.stop());
  return (await makeLink(harness, changes)).link;
}

const phone = { viewport: { width: 360, height: 740 }, deviceScaleFactor: 2 };

withChromium(
  'a customer with a phone and a keyboard only comes to the end',
  async () => {
    const address = await link();
    const { page, faults, requests, picture, widthFits } = await browse(address, phone);
    await picture('phone-1-question');
    /** Waits for an element to have the focus. The page may set the focus one frame after it was loaded. */
    const focus = () => expect.poll(() => page.evaluate('document.activeElement.id'));
    await focus().toBe('answer');
    await page.keyboard.type('red');
    await page.keyboard.press('Enter');
    await page.getByText('2 tries left').waitFor();
    await picture('phone-2-wrong-answer');
    await focus().toBe('answer');
    await page.keyboard.type('sky blue');
    await page.keyboard.press('Tab');
    await page.keyboard.press('Space');
    await page.getByRole('heading', { name: 'Where should the money go?' }).waitFor();
    await picture('phone-3-bank');
    await page.keyboard.press('Tab');
    await focus().toBe('kind-iban');
    await page.keyboard.press('ArrowDown');
    expect(await page.getByLabel('Routing number').isVisible()).toBe(true);
    expect(await page.getByLabel('IBAN', { exact: true }).isVisible()).toBe(false);
    await page.keyboard.press('Tab');
    await page.keyboard.type('110000001');
    await page.keyboard.press('Tab');
    await page.getByText('This is not a valid routing number').waitFor();
    await page.keyboard.type('000123456789');
    await page.keyboard.press('Shift+Tab');
    await page.keyboard.press('End');
    await page.keyboard.press('Backspace');
    await page.keyboard.type('0');
    await page.getByText('This is not a valid routing number').waitFor({ state: 'hidden' });
    await picture('phone-4-us-account');
    await page.keyboard.press('Enter');
    await page.getByText('**** 6789').waitFor();
    await picture('phone-5-review');
    expect(await widthFits()).toBe(true);
    await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    await page.getByText('The money is on its way').waitFor();
    await picture('phone-6-done');
    expect((await page.goto(address))?.status()).toBe(410);
    await picture('phone-7-gone');
    expect(faults()).toEqual([]);
    expect(new Set(requests.map((url) => new URL(url).host))).toEqual(new Set([new URL(address).host]));
  },
  90_000,
);

withChromiumInCi(
  'without JavaScript the page says afterwards what it could not say while typing',
  async () => {
    const { page, faults, picture } = await browse(await link(), {
      javaScriptEnabled: false,
      colorScheme: 'dark',
    });
    await picture('dark-1-question');
    await page.getByLabel('Your answer').fill('sky blue');
    await page.getByRole('button', { name: 'Continue' }).click();
    await page.getByLabel('IBAN', { exact: true }).fill('DE88 3704 0044 0532 0130 00');
    await page.getByRole('button', { name: 'Continue' }).click();
    await page.getByText('This is not a valid IBAN').waitFor();
    await picture('dark-2-wrong-iban');
    await page.getByLabel('IBAN', { exact: true }).fill('DE89 3704 0044 0532 0130 00');
    await page.getByRole('button', { name: 'Continue' }).click();
    await page.getByRole('button', { name: 'Change the account' }).click();
    await page.getByLabel('Account in Canada').check();
    await page.getByLabel('Transit number').fill('12345');
    await page.getByLabel('Institution number').fill('003');
    await page.getByLabel('Account number').fill('1234567');
    await picture('dark-3-canada');
    await page.getByRole('button', { name: 'Continue' }).click();
    await picture('dark-4-review');
    await page.getByRole('button', { name: 'Accept €25.50' }).click();
    await page.getByText('The money is on its way').waitFor();
    expect(faults()).toEqual([]);
  },
  90_000,
);

withChromium(
  'it is what the browser speaks, on a desk, and long names and big text do not break it',
  async () => {
    const address = await link({ statement: 'WWWWWWWWWWWWWWWWWWWWWW', amount: 99_999_999.99 });
    const { page, faults, picture, widthFits } = await browse(address, { locale: 'de-DE' });
    expect(await page.title()).toBe('Café Müller & Söhne: 99.999.999,99 €');
    await picture('desk-1-german');
    await page.getByLabel('Ihre Antwort').fill('Sky Blue');
    await page.getByRole('button', { name: 'Weiter' }).click();
    await page.getByLabel('Konto in Kanada').check();
    await picture('desk-2-canada');
    await page.setViewportSize({ width: 320, height: 600 });
    await page.evaluate("document.documentElement.style.fontSize = '200%'");
    expect(await widthFits()).toBe(true);
    await picture('small-and-large-text');
    expect(faults()).toEqual([]);
  },
  90_000,
);

withChromium(
  'every control has a name, and every picture of a step one heading of each level',
  async () => {
    const { page } = await browse(await link(), phone);
    const names = async () =>
      page.evaluate(
        `[...document.querySelectorAll('input:not([type=hidden]),button')].filter((control) =>
          !(control.labels?.length > 0 || control.textContent.trim())).map((control) => control.outerHTML)`,
      );
    expect(await names()).toEqual([]);
    await page.getByLabel('Your answer').fill('sky blue');
    await page.getByRole('button', { name: 'Continue' }).click();
    await page.getByRole('heading', { level: 2 }).waitFor();
    expect(await names()).toEqual([]);
    expect(await page.getByRole('heading', { level: 1 }).count()).toBe(1);
    expect(await page.getByRole('heading', { level: 2 }).count()).toBe(1);
    expect(await page.getByRole('radiogroup').or(page.getByRole('group')).count()).toBe(1);
  },
  60_000,
);
