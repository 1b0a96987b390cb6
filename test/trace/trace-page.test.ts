import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, describe, expect } from 'vitest';
import { readGatewayEnvironment } from '../../cli/record/recorded-environment.ts';
import { findScenarios, renderTrace, runScenario, startLiveTraceServer } from '../../scenarios/index.ts';
import { ScenarioTracer } from '../../scenarios/trace/trace-scenario.ts';
import { systemClock } from '../../shared/clock.ts';
import { systemRandom } from '../../shared/random.ts';
import { testThoroughly, testWith } from '../optional-programs.ts';
import { stackHarness } from '../stack/stack-harness.ts';
import { openPage } from './browser.ts';
import { clipboardPageOptions, copyFromEntry } from './copied.ts';

const machine = { clock: systemClock, random: systemRandom };

const testInChromium = testWith('/usr/bin/chromium');
const testInChromiumInCi = testThoroughly('/usr/bin/chromium');
const folder = mkdtempSync(join(tmpdir(), 'pinpad-trace-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** The traces that were made so far. The key is the scenario. */
const traces = new Map<string, Promise<string>>();

/** Runs a scenario unless another test has run it, and opens the scenario's trace from the disk. */
async function tracePage(scenario: string, options?: Parameters<typeof openPage>[1]) {
  const made = traces.get(scenario) ?? trace(scenario);
  traces.set(scenario, made);
  return openPage(pathToFileURL(await made).href, options);
}

async function trace(scenario: string): Promise<string> {
  const source = join(folder, 'scenario.yaml');
  writeFileSync(source, scenario);
  const [found] = findScenarios([source]);
  if (!found) throw new Error('no scenario');
  const tracer = new ScenarioTracer();
  return tracer.write(await runScenario(found, tracer.traced({})), folder, folder);
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
  testInChromium('opens from the disk, fetches nothing, complains of nothing, and is small', async () => {
    const { page, complaints, fetched } = await tracePage(chipAndPin);
    expect(await page.title()).toBe('Chip and PIN: passed - pinpad trace');
    expect(fetched).toEqual([page.url()]);
    expect(complaints).toEqual([]);
    // The program of the page contains only those parts of the console that a trace needs.
    const program = await page.locator('body > script').last().textContent();
    expect(program?.length).toBeGreaterThan(10_000);
    expect(program?.length).toBeLessThan(55_000);
  });

  testInChromium('opens at the top, where nothing is chosen yet (B263)', async () => {
    const { page } = await tracePage(chipAndPin);
    await page.getByText('Choose a line to see all of it.').waitFor();
    expect(await page.locator('.row.now, .row.later').count()).toBe(0);
    expect(await page.getByRole('listbox').evaluate((list) => list.scrollTop)).toBe(0);
    await page.keyboard.press('ArrowDown');
    await expect.poll(() => page.locator('.row').first().getAttribute('aria-selected')).toBe('true');
    await page.getByText('Choose a line to see all of it.').waitFor({ state: 'detached' });
  });

  testInChromium('has no time of day twice in a row while virtual time stands still (B263)', async () => {
    const { page } = await tracePage(chipAndPin);
    const times = await page.locator('.row time').allInnerTexts();
    expect(times[0]).toBe('09:00:00.000');
    expect(times.filter((time, at) => time === times[at - 1] && /^\d/.test(time))).toEqual([]);
  });

  testInChromium('shows what was sent as text, whatever it is', async () => {
    const { page } = await tracePage(chipAndPin);
    await page.getByRole('option', { name: 'POST payment-request' }).first().click();
    await page.locator('.exchange pre', { hasText: 'onerror' }).first().waitFor();
    expect(await page.locator('img').count()).toBe(0);
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
    await failure.getByRole('button', { name: 'Show the failing step' }).click();
    await expect.poll(() => page.locator('.row.now').getAttribute('class')).toContain('failed');
    expect(await page.locator('.step-text').innerText()).toContain('answer: { status: 201 }');
    expect(await page.locator('.row.step').count()).toBe(3);
    // The answer came to the journal after the failing step, so it is marked as later.
    expect(await page.locator('.step.failed ~ .row').first().getAttribute('class')).toContain('later');
  });

  testInChromium(
    'says how much time went by, hides numbers that were keyed in, and distinguishes good outcomes from bad',
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
      expect(await page.locator('.row.pause').first().innerText()).toBe('1 min 31 s later');
      expect(await page.content()).not.toContain('4242424242424242');
      expect(await page.locator('.row.step', { hasText: '424242 **** 4242 1249' }).count()).toBe(1);
      expect(await page.locator('#outcomes td.success').allInnerTexts()).toEqual(['paid', 'success']);
    },
  );

  testInChromiumInCi('has each sale in a line, which leads to its first message (B361)', async () => {
    const { page, complaints } = await tracePage(`
name: Twice
steps:
  - pay: 12.50
    reference: sale-1
    key: one
  - tap: visa-credit
  - pay: 3
    reference: sale-2
  - cancel
  - expect: cancel
`);
    const lines = page.locator('#sales li');
    const words = (await lines.allInnerTexts()).map((text) => text.replaceAll(/\s+/g, ' '));
    expect(words[0]).toBe('09:00:00 12.50 …01 sale-1 POST approved told');
    expect(words[1]).toMatch(
      /^09:00:00 3.00 …01 sale-2 POST declined: cancel told ⚠ missing-key: POST .*send an Idempotency-Key/,
    );
    expect(await page.locator('#sales summary').innerText()).toContain('(2, 1 went wrong)');
    await lines.nth(1).getByRole('button').click();
    await page.locator('.row.now', { hasText: 'POST payment-request 3' }).waitFor();
    expect(complaints).toEqual([]);
  });

  testInChromium('says what the POS does wrong, and leads to the lines that show it', async () => {
    const { page, complaints } = await tracePage(chipAndPin);
    const findings = page.locator('#findings');
    expect(await findings.locator('summary').innerText()).toContain('(1)');
    await findings.locator('summary').click();
    expect(await findings.locator('li').first().innerText()).toMatch(/missing-key: POST .*Idempotency-Key/);
    const link = findings.getByRole('button').first();
    const seq = (await link.innerText()).slice(1);
    await link.click();
    await expect.poll(() => page.locator('.row.now').getAttribute('data-seq')).toBe(seq);
    expect(complaints).toEqual([]);
  });

  testInChromium('shows each terminal as it was at the chosen moment', async () => {
    // The window is high enough for all lines, because the list draws only those that are in view.
    const { page } = await tracePage(chipAndPin, { viewport: { width: 1400, height: 1300 } });
    const screens = page.locator('.screens');
    await expect.poll(() => screens.innerText()).toContain('Ready');
    await page.locator('.row', { hasText: 'Shows Enter PIN' }).first().click();
    await expect.poll(() => screens.innerText()).toContain('Enter PIN\n€12.50');
    await page.locator('.row', { hasText: 'Shows Remove card' }).click();
    await expect.poll(() => screens.innerText()).toContain('Do not forget your card');
  });

  testInChromiumInCi('is worked by keyboard alone', async () => {
    const { page } = await tracePage(chipAndPin);
    const now = page.locator('.row.now');
    await page.keyboard.press('Home');
    const first = await now.getAttribute('id');
    await page.keyboard.press('ArrowDown');
    await expect.poll(() => now.getAttribute('id')).not.toBe(first);
    await page.keyboard.press('ArrowUp');
    await expect.poll(() => now.getAttribute('id')).toBe(first);
    await expect.poll(() => page.getByRole('listbox').getAttribute('aria-activedescendant')).toBe(first);
  });

  testInChromiumInCi('finds text, also in bodies: hits are counted and gone through', async () => {
    const { page } = await tracePage(chipAndPin);
    expect(await page.locator('.row.pause, .row.step').count()).toBeGreaterThan(0);
    await page.keyboard.press('/');
    await page.keyboard.type('PaymentRequest');
    const [shown, now, count] = [page.locator('.row'), page.locator('.row.now'), page.locator('.count')];
    await expect.poll(() => count.innerText()).toMatch(/^1 of \d+ hits$/);
    const hits = await shown.count();
    await expect.poll(() => page.locator('.row.pause, .row.step').count()).toBe(0);
    const first = await now.getAttribute('id');
    await page.keyboard.press('Enter');
    await expect.poll(() => count.innerText()).toBe(`2 of ${hits} hits`);
    await page.keyboard.press('Shift+Enter');
    await expect.poll(() => now.getAttribute('id')).toBe(first);
    await page.keyboard.press('Shift+Enter');
    await expect.poll(() => count.innerText()).toBe(`${hits} of ${hits} hits`);
    await page.getByRole('searchbox').fill('nowhere in here');
    await expect.poll(() => count.innerText()).toBe('no hits');
    await page.getByText('Nothing fits the filter').waitFor();
    await page.keyboard.press('Escape');
    await expect.poll(() => shown.count()).toBeGreaterThan(20);
  });

  testInChromiumInCi('moves through time with the scrubber', async () => {
    const { page } = await tracePage(chipAndPin);
    const scrubber = page.getByRole('slider', { name: 'Look back to' });
    await scrubber.fill('0');
    await expect.poll(() => page.locator('.row.later').count()).toBeGreaterThan(20);
    expect(await scrubber.getAttribute('aria-valuetext')).toMatch(/^(09:00:00\.000)?$/);
    await scrubber.press('End');
    await expect.poll(() => page.locator('.row.later').count()).toBe(0);
  });

  testInChromiumInCi('narrows to one payment with its requests, and to lanes', async () => {
    const { page } = await tracePage(chipAndPin);
    const payments = page.locator('#outcomes tbody tr');
    expect(await payments.count()).toBe(2);
    expect(await payments.nth(0).innerText()).toContain('host: default: no rule declines the payment');
    expect(await payments.nth(1).innerText()).toContain('cancel');
    await payments.nth(1).getByRole('button').click();
    const shown = page.locator('.row');
    await expect.poll(() => page.locator('.row.pause, .row.step').count()).toBe(0);
    const texts = (await shown.allInnerTexts()).join('\n');
    expect(texts).toContain('POST payment-request');
    expect(texts).toContain('Key cancel');
    expect(texts).not.toContain('Card inserted');
    for (const lane of ['Terminal', 'Gateway', 'Webhooks', 'Acquirer & issuer'])
      await page.getByRole('checkbox', { name: lane, exact: true }).uncheck();
    await expect.poll(() => shown.count()).toBe(2);
  });

  testInChromiumInCi('gives what was sent and done to copy, as a step and as a command', async () => {
    const { page, complaints } = await tracePage(chipAndPin, clipboardPageOptions);
    const asStep = (find: string, entry: RegExp) => copyFromEntry(page, find, entry, 'Copy as scenario step');
    expect(await asStep('12.5', /POST .*payment-request/)).toContain('- pay: 12.5');
    expect(await asStep('key enter', /Key enter/)).toBe('- pin: right\n');
    const command = await copyFromEntry(page, '12.5', /POST .*payment-request/, 'Copy as curl');
    expect(command).toMatch(/^curl .*\$URL/s);
    expect(complaints).toEqual([]);
  });

  testInChromium('is dark where darkness is wanted', async () => {
    const { page } = await tracePage(chipAndPin);
    const background = () =>
      page.evaluate<string>('getComputedStyle(document.documentElement).backgroundColor');
    expect(await background()).toBe('rgb(247, 246, 243)');
    await page.emulateMedia({ colorScheme: 'dark' });
    await expect.poll(background).toBe('rgb(19, 20, 23)');
  });
});

describe('the live page', () => {
  testInChromiumInCi('shows what happens while it happens, and what was before', async () => {
    const harness = await stackHarness();
    const live = await startLiveTraceServer(
      { url: harness.stack.url, controlToken: harness.stack.controlToken },
      machine,
    );
    harness.beforeClose(() => void live.close());
    const { page, complaints } = await openPage(live.url);
    const paid = harness.pay(12.5);
    await harness.until('presentCard');
    await page.locator('.row', { hasText: 'Shows Present card' }).waitFor();
    await harness.act('tap', { card: 'visa-credit' });
    await paid;
    await page.locator('#outcomes tbody td.success').waitFor();
    await page.locator('#sales li', { hasText: 'approved' }).getByText('told', { exact: true }).waitFor();
    await page.locator('#sales li').getByText('missing-key').waitFor();
    expect(await page.getByRole('combobox', { name: 'Payment' }).locator('option').count()).toBe(2);
    const again = await openPage(live.url);
    expect(await again.page.locator('#outcomes tbody td.success').count()).toBe(1);
    expect(await again.page.locator('#sales li').count()).toBe(1);
    expect([...complaints, ...again.complaints]).toEqual([]);
    expect(await page.content()).not.toContain(harness.stack.controlToken);
  });

  testInChromiumInCi('gives the steps of what happened to copy', async () => {
    const harness = await stackHarness();
    const gateway = { url: harness.stack.url, controlToken: harness.stack.controlToken };
    const live = await startLiveTraceServer(gateway, machine, {
      environment: () => readGatewayEnvironment(gateway),
    });
    harness.beforeClose(() => void live.close());
    const { page, complaints } = await openPage(live.url, clipboardPageOptions);
    const { identifier } = harness.terminal(1);
    await harness.http('GET', `/terminals/${identifier}/payment-request`);
    const paid = harness.pay(12.5);
    await harness.until('presentCard');
    await harness.act('insert', { card: 'visa-credit' });
    await harness.act('remove');
    await paid;
    const asStep = (find: string, entry: RegExp) => copyFromEntry(page, find, entry, 'Copy as scenario step');
    expect(await asStep('12.5', /POST .*payment-request/)).toContain('- pay: 12.5');
    expect(await asStep('card inserted', /Card inserted/)).toBe('- insert: visa-credit\n');
    // This terminal never had a payment, so only the gateway knows it. That is why the step cannot name the terminal.
    expect(await asStep('payment-request', /POS to Gateway GET/)).not.toContain(identifier);
    expect(complaints).toEqual([]);
  });

  testInChromiumInCi('answers only requests that know its address', async () => {
    const harness = await stackHarness();
    const live = await startLiveTraceServer(
      { url: harness.stack.url, controlToken: harness.stack.controlToken },
      machine,
    );
    harness.beforeClose(() => void live.close());
    expect((await fetch(live.url)).status).toBe(200);
    expect((await fetch(new URL('/', live.url))).status).toBe(404);
    expect((await fetch(new URL('/entries', live.url))).status).toBe(404);
  });
});

describe('a trace as a file', () => {
  testInChromiumInCi('of nothing at all can be opened', async () => {
    const file = join(folder, 'empty.html');
    writeFileSync(file, await renderTrace({ title: 'Nothing', entries: [] }));
    const { page, complaints } = await openPage(pathToFileURL(file).href);
    expect(await page.getByText('Nothing has happened yet').isVisible()).toBe(true);
    expect(complaints).toEqual([]);
  });
});
