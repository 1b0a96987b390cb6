import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished } from 'vitest';
import { testThoroughly } from '../optional-programs.ts';
import { openConsole } from './open-console.ts';

const testInChromium = testThoroughly('/usr/bin/chromium');

testInChromium('a tab comes back by itself after the gateway was restarted, and says so (B164)', async () => {
  const data = mkdtempSync(join(tmpdir(), 'pinpad-console-'));
  onTestFinished(() => rmSync(data, { recursive: true, force: true }));
  const { page, harness } = await openConsole({}, { memory: false, data });
  await page.getByText('Live', { exact: true }).waitFor();
  await harness.restartGateway();
  await page.getByText('the gateway was restarted').waitFor();
  await harness.clock.advance(60_000); // this is long enough for the terminals to dial again
  await page.getByRole('article').first().waitFor();
});

testInChromium('more than a tab can hold is left out, and it says how much (B164)', async () => {
  const { page, harness } = await openConsole(
    {},
    { journal: { entries: 30_000, bytes: 64_000_000, unauthenticatedEntries: 10 } },
  );
  await page.getByRole('link', { name: 'Traffic' }).click();
  const { journal } = harness.stack.runtime;
  for (let count = 0; count < 12_000; count++) journal.add('warning', { message: `flood ${count}` });
  await page.getByText('were left out').waitFor();
  await page.getByRole('option', { name: 'flood 11999' }).waitFor();
  expect(await page.getByRole('option').count()).toBeLessThan(100);
});
