import { expect, onTestFinished, test } from 'vitest';
import { createRuntime } from '../../shared/create-runtime.ts';
import { testThoroughly } from '../../test/optional-programs.ts';
import { openPage } from '../../test/trace/browser.ts';
import { createGateway } from '../index.ts';

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

testThoroughly('/usr/bin/chromium')(
  'it shows every operation on a phone in the dark, without errors and without requests to other hosts',
  async () => {
    const { url } = await start();
    const viewport = { width: 390, height: 844 };
    const { page, complaints, fetched } = await openPage(`${url}/docs`, { viewport, colorScheme: 'dark' });
    const operation = page.locator('.opblock', { hasText: 'Collect a payment on a terminal' }).first();
    await operation.locator('.opblock-summary-control').click();
    await operation.getByText('Parameters').first().waitFor();
    await operation.getByRole('tab', { name: 'Schema' }).first().click();
    await operation.getByText('PaymentRequest', { exact: true }).waitFor();
    await operation.getByText('paymentTransaction', { exact: true }).waitFor();
    expect(await page.evaluate<number>('document.documentElement.scrollWidth')).toBe(viewport.width);
    const { paths } = (await (await fetch(`${url}/openapi.json`)).json()) as {
      paths: Record<string, object>;
    };
    const described = Object.values(paths).flatMap((methods) => Object.keys(methods)).length;
    expect(await page.locator('.opblock').count()).toBe(described);
    const colours = () =>
      page.evaluate(
        "[getComputedStyle(document.body).backgroundColor, document.documentElement.classList.contains('dark-mode')]",
      );
    expect(await colours()).toEqual(['rgb(20, 22, 26)', true]);
    await page.emulateMedia({ colorScheme: 'light' });
    await expect.poll(colours).toEqual(['rgb(255, 255, 255)', false]);
    if (process.env.PINPAD_SCREENSHOTS)
      await page.screenshot({ path: `${process.env.PINPAD_SCREENSHOTS}/docs.png` });
    expect(complaints).toEqual([]);
    const hosts = fetched
      .filter((address) => !address.startsWith('data:'))
      .map((address) => new URL(address).host);
    expect([...new Set(hosts)]).toEqual([new URL(url).host]);
  },
  60_000,
);
