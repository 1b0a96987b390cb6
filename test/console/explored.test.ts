import { mkdirSync, mkdtempSync, rmSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { makeConsoleLastExploration } from '../../cli/console/explorations.ts';
import { groupExplorationFindings, renderExplorationPage, writeTraces } from '../../explore/index.ts';
import { makeExploration, makeExploredSchedule } from '../../explore/report/exploration.fixture.ts';
import { testThoroughly, testWith } from '../optional-programs.ts';
import { openConsole } from './open-console.ts';

/** Shows an exploration in the console (B336). */

const testInChromium = testWith('/usr/bin/chromium');
const testInChromiumInCi = testThoroughly('/usr/bin/chromium');

const failed = 'failAnswer-503@payment-request.1';
const unpaid = {
  is: 'paidBelievedUnpaid',
  says: 'The customer paid 12.5, but your point of sale believes "not paid"',
} as const;

/** Makes a folder in which an exploration ran, and uses it as the working directory until the test is over. */
async function anExploredFolder(): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), 'pinpad-explored-'));
  const before = process.cwd();
  onTestFinished(() => {
    process.chdir(before);
    rmSync(folder, { recursive: true, force: true });
  });
  process.chdir(folder);
  const traces = join(folder, 'traces/explore');
  mkdirSync(traces, { recursive: true });
  const all = makeExploration([makeExploredSchedule(failed, unpaid), makeExploredSchedule('decline@host.1')]);
  const [one] = all.explored;
  await writeTraces(traces, one ? [one] : []);
  const page = renderExplorationPage({
    exploration: all,
    findings: groupExplorationFindings(all),
    again: () => 'pinpad explore',
    trace: (each) => (each === one ? `${encodeURIComponent(failed)}.html` : undefined),
  });
  writeFileSync(join(traces, 'index.html'), page);
  return traces;
}

describe('the console', () => {
  testInChromium('shows every fault at every moment, and the trace of a run', async () => {
    await anExploredFolder();
    const { page, complaints } = await openConsole();
    await page.getByRole('link', { name: 'Scenarios', exact: true }).click();
    const matrix = page.frameLocator('iframe[title="Every fault at every moment"]');
    await matrix.getByRole('heading', { name: 'What your point of sale survives' }).waitFor();
    const mark = matrix.getByRole('cell', { name: /failed/ }).getByRole('link');
    const [trace] = await Promise.all([page.context().waitForEvent('page'), mark.click()]);
    await trace.getByText(unpaid.says).first().waitFor();
    // The page of the trace cannot use the console's session, because it has another origin.
    expect(await trace.evaluate('origin')).toBe('null');
    const link = page.getByRole('link', { name: 'Every fault at every moment' });
    const [alone] = await Promise.all([page.context().waitForEvent('page'), link.click()]);
    await alone.getByRole('heading', { name: 'What your point of sale survives' }).waitFor();
    expect(complaints).toEqual([]);
  });

  testInChromiumInCi('says how to explore where nothing was', async () => {
    const folder = await anExploredFolder();
    rmSync(folder, { recursive: true });
    const { page } = await openConsole();
    await page.getByRole('link', { name: 'Scenarios', exact: true }).click();
    await page.getByText('pinpad explore -- COMMAND').waitFor();
  });
});

test('only pages of the folder are shown, and only to a signed-in user', async () => {
  const folder = await anExploredFolder();
  writeFileSync(join(folder, '../secret.html'), 'secret');
  mkdirSync(join(folder, 'folder.html'));
  symlinkSync(join(folder, 'nothing'), join(folder, 'gone.html'));
  writeFileSync(join(folder, 'large.html'), '');
  truncateSync(join(folder, 'large.html'), 50_000_001);
  const explorations = makeConsoleLastExploration(folder);
  expect(explorations.page('index.html')).toContain('What your point of sale survives');
  for (const name of [
    '../secret.html',
    '.html',
    'folder.html',
    'gone.html',
    'large.html',
    'index.htm',
    'other.html',
  ])
    expect(explorations.page(name), name).toBeUndefined();
  expect(makeConsoleLastExploration(join(folder, 'none')).exploredAt()).toBeUndefined();
});
