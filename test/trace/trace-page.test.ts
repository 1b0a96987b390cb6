import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, describe, expect } from 'vitest';
import {
  findScenarios,
  renderTrace,
  runScenario,
  ScenarioTracer,
  startLiveTrace,
} from '../../scenarios/index.ts';
import { systemRandom } from '../../shared/random.ts';
import { testWith } from '../optional-programs.ts';
import { stackHarness } from '../stack/stack-harness.ts';
import { chromiumOfThisFile } from './browser.ts';

const testInChromium = testWith('/usr/bin/chromium');
const openPage = chromiumOfThisFile();
const folder = mkdtempSync(join(tmpdir(), 'pinpad-trace-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Runs a scenario and opens its trace from the disk. */
async function tracePage(scenario: string, options?: { colorScheme?: 'light' | 'dark' }) {
  const source = join(folder, 'scenario.yaml');
  writeFileSync(source, scenario);
  const [found] = findScenarios([source]);
  if (!found) throw new Error('no scenario');
  const tracer = new ScenarioTracer();
  const result = await runScenario(found, tracer.traced({}));
  const file = tracer.write(result, folder);
  return openPage(pathToFileURL(file).href, options);
}

const chipAndPin = `
name: Chip and PIN
steps:
  - pay: 12.50
    reference: <img src=x onerror=document.title=1>
  - insert: visa-credit
  - pin: wrong
  - pin: right
  - remove
  - pay: 3
  - cancel
  - expect: cancel
`;

describe('the page of a trace', () => {
  testInChromium('opens from the disk, fetches nothing and complains of nothing', async () => {
    const { page, complaints, fetched } = await tracePage(chipAndPin);
    expect(await page.title()).toBe('Chip and PIN: passed - pinpad trace');
    expect(fetched).toEqual([page.url()]);
    expect(complaints).toEqual([]);
  });

  testInChromium('shows what was sent as text, whatever it is', async () => {
    const { page } = await tracePage(chipAndPin);
    expect(await page.locator('img').count()).toBe(0);
    expect(await page.locator('.row pre', { hasText: 'onerror' }).count()).toBeGreaterThan(0);
  });

  testInChromium('marks the failing step with what was expected and what was there', async () => {
    const { page } = await tracePage(`
name: Broken
steps:
  - pay: 5
  - tap: visa-credit
  - expect:
      answer: { status: 201 }
`);
    const failure = page.getByRole('region', { name: /^Failed at .*scenario.yaml:6/ });
    expect(await failure.getByRole('row').nth(1).allInnerTexts()).toEqual(['answer.status\t201\t200']);
    await failure.getByRole('link', { name: 'Show the failing step' }).click();
    const failing = page.locator('.step.failed');
    expect(await failing.innerText()).toContain('answer: { status: 201 }');
    expect(await page.locator('.step').count()).toBe(3);
    // The moment is the last one before it, though the answer was journaled later.
    const after = page.locator('.step.failed ~ .row:not([hidden])');
    expect(await after.first().getAttribute('class')).toContain('later');
  });

  testInChromium(
    'says how much time went by, hides numbers that were keyed in, and tells good outcomes from bad',
    async () => {
      const { page } = await tracePage(`
name: Slowly
steps:
  - charge: 25
  - pay: 5
    key: k
  - pass: 90.5 s
  - key in: 4242424242424242 1249
  - expect: success
`);
      expect(await page.locator('.pause').first().innerText()).toBe('1 min 31 s later');
      expect(await page.content()).not.toContain('4242424242424242');
      expect(await page.locator('.step', { hasText: '424242 **** 4242 1249' }).count()).toBe(1);
      expect(await page.locator('#outcomes td.success').allInnerTexts()).toEqual(['paid', 'success']);
    },
  );

  testInChromium('says what the POS does wrong, and leads to the lines that show it', async () => {
    const { page, complaints } = await tracePage(chipAndPin);
    const findings = page.locator('#findings');
    expect(await findings.locator('summary').innerText()).toContain('(2)');
    await findings.locator('summary').click();
    expect(await findings.locator('li').first().innerText()).toMatch(/missing-key: POST .*Idempotency-Key/);
    const link = findings.getByRole('link').first();
    const seq = (await link.innerText()).slice(1);
    await link.click();
    expect(await page.locator('.row.now').getAttribute('id')).toBe(`e${seq}`);
    expect(complaints).toEqual([]);
  });

  testInChromium('shows each terminal as it was at the chosen moment', async () => {
    const { page } = await tracePage(chipAndPin);
    const screens = page.locator('#screens');
    expect(await screens.innerText()).toContain('Ready');
    await page.locator('.row', { hasText: 'Display: Enter PIN' }).first().locator('summary').click();
    expect(await screens.innerText()).toContain('Enter PIN\n€12.50');
    await page.locator('.row', { hasText: 'Display: Remove card' }).locator('summary').click();
    expect(await screens.innerText()).toContain('Do not forget your card');
  });

  testInChromium('is worked by keyboard alone', async () => {
    const { page } = await tracePage(chipAndPin);
    const now = page.locator('.row.now');
    await page.keyboard.press('Home');
    expect(await page.locator('.row.now summary:focus').count()).toBe(1);
    const first = await now.getAttribute('id');
    await page.keyboard.press('ArrowDown');
    expect(await now.getAttribute('id')).not.toBe(first);
    await page.keyboard.press('ArrowUp');
    expect(await now.getAttribute('id')).toBe(first);
    expect(await now.locator('pre').isVisible()).toBe(false);
    await page.keyboard.press('Enter');
    expect(await now.locator('pre').isVisible()).toBe(true);
    await page.keyboard.press('/');
    await page.keyboard.type('PaymentRequest');
    const shown = page.locator('.row:not([hidden])');
    expect(await shown.count()).toBe(2);
    expect(await page.getByRole('status').innerText()).toMatch(/^2 of \d+$/);
    await page.keyboard.press('Escape');
    expect(await shown.count()).toBeGreaterThan(20);
  });

  testInChromium('moves through time with the scrubber', async () => {
    const { page } = await tracePage(chipAndPin);
    const scrubber = page.getByRole('slider', { name: 'Moment' });
    await scrubber.fill('0');
    expect(await page.locator('.row.later').count()).toBeGreaterThan(20);
    expect(await scrubber.getAttribute('aria-valuetext')).toMatch(/^09:00:00\.000/);
    await scrubber.press('End');
    expect(await page.locator('.row.later').count()).toBe(0);
  });

  testInChromium('narrows to one payment with its requests, and to lanes', async () => {
    const { page } = await tracePage(chipAndPin);
    const payments = page.locator('#outcomes tbody tr');
    expect(await payments.count()).toBe(2);
    expect(await payments.nth(0).innerText()).toContain('host: default: no rule declines it');
    expect(await payments.nth(1).innerText()).toContain('cancel');
    await payments.nth(1).getByRole('link').click();
    const shown = page.locator('.row:not([hidden])');
    const texts = (await shown.allInnerTexts()).join('\n');
    expect(texts).toContain('POST /terminals/');
    expect(texts).toContain('Key cancel');
    expect(texts).not.toContain('Card inserted');
    for (const lane of ['Terminal', 'Gateway', 'Webhooks', 'Acquirer & issuer'])
      await page.getByRole('checkbox', { name: lane, exact: true }).uncheck();
    expect(await shown.count()).toBe(2);
  });

  testInChromium('is dark where darkness is wanted', async () => {
    const backgroundIn = async (colorScheme: 'light' | 'dark') => {
      const { page } = await tracePage(chipAndPin, { colorScheme });
      return page.evaluate<string>('getComputedStyle(document.body).backgroundColor');
    };
    expect(await backgroundIn('light')).toBe('rgb(255, 255, 255)');
    expect(await backgroundIn('dark')).toBe('rgb(20, 23, 28)');
  });
});

describe('the live page', () => {
  testInChromium('shows what happens while it happens, and what was before', async () => {
    const harness = await stackHarness();
    const live = await startLiveTrace(
      { url: harness.stack.url, controlToken: harness.stack.controlToken },
      systemRandom,
    );
    harness.beforeClose(() => void live.close());
    const { page, complaints } = await openPage(live.url);
    const paid = harness.pay(12.5);
    await harness.until('presentCard');
    await page.locator('.row', { hasText: 'Display: Present card' }).waitFor();
    await harness.act('tap', { card: 'visa-credit' });
    await paid;
    await page.locator('#outcomes tbody td.success').waitFor();
    expect(await page.getByRole('combobox', { name: 'Payment' }).locator('option').count()).toBe(2);
    const again = await openPage(live.url);
    expect(await again.page.locator('#outcomes tbody td.success').count()).toBe(1);
    expect([...complaints, ...again.complaints]).toEqual([]);
    expect(await page.content()).not.toContain(harness.stack.controlToken);
  });

  testInChromium('answers nobody who does not know its address', async () => {
    const harness = await stackHarness();
    const live = await startLiveTrace(
      { url: harness.stack.url, controlToken: harness.stack.controlToken },
      systemRandom,
    );
    harness.beforeClose(() => void live.close());
    expect((await fetch(live.url)).status).toBe(200);
    expect((await fetch(new URL('/', live.url))).status).toBe(404);
    expect((await fetch(new URL('/entries', live.url))).status).toBe(404);
  });
});

describe('a trace as a file', () => {
  testInChromium('of nothing at all can be opened', async () => {
    const file = join(folder, 'empty.html');
    writeFileSync(file, renderTrace({ title: 'Nothing', entries: [] }));
    const { page, complaints } = await openPage(pathToFileURL(file).href);
    expect(await page.getByText('Nothing fits the filter').isVisible()).toBe(true);
    expect(complaints).toEqual([]);
  });
});
