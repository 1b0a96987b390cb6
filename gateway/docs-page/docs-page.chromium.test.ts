import { chromium } from 'playwright-core';
import { expect, onTestFinished, test } from 'vitest';
import { createRuntime } from '../../shared/create-runtime.ts';
import { testWith } from '../../test/optional-programs.ts';
import { createGateway } from '../index.ts';

const executablePath = '/usr/bin/chromium';

async function start() {
  const gateway = await createGateway({}, createRuntime());
  onTestFinished(() => gateway.close());
  return gateway;
}

test('the page loads only what this gateway serves', async () => {
  const { url } = await start();
  const response = await fetch(`${url}/docs`);
  expect(response.headers.get('content-security-policy')).not.toContain('unsafe');
  const files = [...(await response.text()).matchAll(/(?:href|src)="([^"]+)"/g)].map(
    ([, path]) => path ?? '',
  );
  expect(files).toHaveLength(6);
  for (const file of files.filter((path) => path !== 'data:,'))
    expect((await fetch(new URL(file, url))).status, file).toBe(200);
  expect((await fetch(`${url}/docs/assets/package.json`)).status).toBe(404);
});

testWith(executablePath)(
  'it shows every operation, without a fault and without asking anybody else',
  async () => {
    const { url } = await start();
    const browser = await chromium.launch({
      executablePath,
      args: ['--no-sandbox', '--disable-gpu', '--disable-background-networking', '--disable-sync'],
    });
    onTestFinished(() => browser.close());
    const page = await browser.newPage();
    const faults: string[] = [];
    const hosts = new Set<string>();
    page.on('console', (message) => {
      if (message.type() === 'error') faults.push(message.text());
    });
    page.on('pageerror', (error) => faults.push(error.message));
    page.on('request', (request) => {
      if (!request.url().startsWith('data:')) hosts.add(new URL(request.url()).host);
    });
    await page.goto(`${url}/docs`);
    await page.getByText('/terminals/{terminalId}/payment-request', { exact: true }).first().waitFor();
    const shown = await page.locator('.opblock').count();
    const { paths } = (await (await fetch(`${url}/openapi.json`)).json()) as {
      paths: Record<string, object>;
    };
    const described = Object.values(paths).flatMap((methods) => Object.keys(methods)).length;
    expect(shown).toBe(described);
    if (process.env.PINPAD_SCREENSHOTS)
      await page.screenshot({ path: `${process.env.PINPAD_SCREENSHOTS}/docs.png` });
    expect(faults).toEqual([]);
    expect([...hosts]).toEqual([new URL(url).host]);
  },
  60_000,
);
