import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished } from 'vitest';
import { findScenarios, runScenario } from '../../scenarios/index.ts';
import { testThoroughly, testWith } from '../optional-programs.ts';
import { bash } from '../run-bash.ts';
import { clipboardPageOptions, copyFromEntry } from '../trace/copied.ts';
import { openConsole } from './open-console.ts';

const testInChromium = testWith('/usr/bin/chromium');
const testInChromiumInCi = testThoroughly('/usr/bin/chromium');
testInChromium('a request is copied as a command that a shell runs, whatever stands in it', async () => {
  const { page, harness, complaints } = await openConsole(clipboardPageOptions);
  const reference = `it's "5 $HOME" \\ \`id\``;
  const key = { 'idempotency-key': "o'clock 1" };
  const paid = harness.pay(5, { saleData: { saleReferenceId: reference } }, key);
  await harness.until('presentCard');
  await harness.act('tap', { card: 'visa-credit' });
  const { body } = await paid;
  await harness.control('PUT', `/terminals/${harness.poiId}/outcome`, { outcome: { type: 'silent' } });
  await page.getByRole('link', { name: 'Traffic', exact: true }).click();
  const URL = harness.stack.url;
  const variables = {
    URL,
    TOKEN: harness.stack.tokens[0]?.token ?? '',
    CONTROL_TOKEN: harness.stack.controlToken,
  };
  const sale = await copyFromEntry(page, 'payment-request', /POST .*payment-request/, 'Copy as curl');
  expect(sale).not.toContain('****');
  const again = await bash(`${sale} 2>/dev/null`, variables, tmpdir());
  // The copied request has the key of the first request, so sending it again makes no second sale.
  expect(JSON.parse(again.output.slice(again.output.indexOf('{"identifier')))).toEqual(body);
  await page.getByRole('checkbox', { name: 'details' }).check();
  const set = await copyFromEntry(page, '/outcome', /PUT .control.*outcome/, 'Copy as curl');
  const answered = await bash(`${set} 2>/dev/null`, variables, tmpdir());
  expect(answered.output).toContain('"type":"silent"');
  expect(complaints).toEqual([]);
});

testInChromiumInCi('what was done is copied as steps that play, from whichever terminal', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'pinpad-copied-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const { page, harness, complaints } = await openConsole(clipboardPageOptions);
  void harness.pay(3);
  await harness.until('presentCard');
  const { identifier, poiId } = harness.terminal(1);
  const path = `/terminals/${identifier}/payment-request`;
  const order = {
    paymentTransaction: { amountsReq: { requestedAmount: 12.5 } },
    saleData: { saleReferenceId: 'order 1' },
  };
  const paid = harness.http('POST', path, order, { 'idempotency-key': 'sale-1', prefer: 'wait=100' });
  await harness.control('GET', `/terminals/${poiId}/screen?until=presentCard`);
  await harness.control('POST', `/terminals/${poiId}/insert`, { card: 'visa-credit' });
  await harness.control('GET', `/terminals/${poiId}/screen?until=pin`);
  await harness.control('POST', `/terminals/${poiId}/press`, { keys: ['1', '2', '3', '4', 'enter'] });
  await paid;
  await harness.control('POST', `/terminals/${poiId}/remove`);
  await harness.http('GET', path);
  await harness.http('GET', `/terminals/${identifier}`);
  await page.getByRole('link', { name: 'Traffic', exact: true }).click();
  await page.getByRole('checkbox', { name: 'details' }).check();
  const steps = [];
  for (const [find, entry] of [
    ['payment-request', /POS to Gateway POST/],
    ['card inserted', /Card inserted/],
    ['key enter', /Key enter/],
    ['card removed', /Card removed/],
    ['payment-request', /POS to Gateway GET/],
    ['get /terminals/', /POS to Gateway GET .terminals.[^/]*$/],
  ] as const)
    steps.push(await copyFromEntry(page, find, entry, 'Copy as scenario step'));
  expect(steps[0]).toContain('- pay: 12.5');
  expect(steps[2]).toContain('- pin: right');
  expect(steps.join('')).not.toContain(identifier);
  const file = join(folder, 'copied.yaml');
  writeFileSync(file, `name: Copied\nsteps:\n${steps.join('').replaceAll(/^/gm, '  ')}`);
  const [scenario] = findScenarios([file]);
  if (!scenario) throw new Error('no scenario');
  const result = await runScenario(scenario, {});
  expect([result.verdict, result.failure?.message]).toEqual(['passed', undefined]);
  expect(complaints).toEqual([]);
});

testInChromiumInCi(
  'requests, answers and webhooks are shown with headers and bodies, tokens masked',
  async () => {
    const { page, harness } = await openConsole();
    const accountId = harness.stack.tokens[0]?.account;
    const url = 'http://127.0.0.1:9/'; // no program listens at this port
    const types = ['payments.credits.initiated'];
    await harness.control('POST', '/webhooks', { id: 'pos', accountId, url, types });
    const order = { paymentTransaction: { amountsReq: { requestedAmount: 5 } } };
    const path = `/terminals/${harness.terminalId}/payment-request`;
    await harness.http('POST', path, order, { 'idempotency-key': 'sale-1', prefer: 'respond-async' });
    const from = { from_bank_account: 'demo-bank-account', contact_id: 'demo-customer' };
    await harness.http('PUT', '/credit', { amount: 25.5, statement: 'REFUND', ...from });
    await page.getByRole('link', { name: 'Traffic', exact: true }).click();
    const detail = page.getByRole('region', { name: 'The selected entry' });
    await page.getByRole('searchbox', { name: 'Find' }).fill('sale-1');
    await page.getByRole('option', { name: /POS to Gateway POST/ }).click();
    const names = () => detail.locator('.headers dt').allInnerTexts();
    await expect
      .poll(names)
      .toEqual([
        'authorization',
        'content-type',
        'idempotency-key',
        'prefer',
        'user-agent',
        'Content-Type',
        'Location',
        'Preference-Applied',
      ]);
    expect(await detail.innerText()).toContain('Bearer ****');
    expect(await page.content()).not.toContain(harness.stack.tokens[0]?.token);
    await page.getByRole('searchbox', { name: 'Find' }).fill('credits.initiated');
    await page
      .getByRole('option', { name: /Gateway to Webhooks/ })
      .first()
      .click();
    await expect.poll(names).toEqual(['content-type', 'user-agent', 'webhook-id']);
    await detail.getByText('"statement"').waitFor();
  },
);
