import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished } from 'vitest';
import { testThoroughly } from '../optional-programs.ts';
import { openConsole } from './open-console.ts';

const testInChromiumInCi = testThoroughly('/usr/bin/chromium');

/** Makes a folder with a user's own scenarios, and uses it as the working directory until the test is over. */
function ownScenarios(files: Record<string, string>): void {
  const [former, folder] = [process.cwd(), mkdtempSync(join(tmpdir(), 'pinpad-own-'))];
  mkdirSync(join(folder, 'scenarios'));
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, 'scenarios', name), text);
  process.chdir(folder);
  onTestFinished(() => {
    process.chdir(former);
    rmSync(folder, { recursive: true, force: true });
  });
}

const twoSales = `
name: Two sales
steps:
  - pay: 5
  - tap: visa-credit
  - expect: success
  - pay: 8
  - tap: visa-credit
  - expect: success
`;

testInChromiumInCi(
  'a run is gone through backward and forward, and played again by what was recorded',
  async () => {
    ownScenarios({ 'mine.yaml': twoSales, 'wrong.yaml': 'name: Wrong\nsteps:\n  - jump: 1\n' });
    // The window is high enough for all rows. How many rows there are depends on the real time that passes between
    // entries.
    const { page, harness, complaints } = await openConsole({ viewport: { width: 1280, height: 3000 } });
    await page.getByRole('link', { name: 'Scenarios', exact: true }).click();
    await page.getByText('scenarios/wrong.yaml:3:5: jump is not a step').waitFor();
    expect(await page.getByRole('button', { name: /wrong.yaml/ }).count()).toBe(0);
    await page.getByRole('button', { name: /^Two sales/ }).click();
    const button = (name: string) => page.getByRole('button', { name, exact: true });
    const stands = page.locator('.run-controls [role=status]');
    const screen = page.locator('.run-screens');
    const dimmed = page.locator('.run-view .row.later');
    const sale = (amount: string) => page.getByRole('option', { name: `Payment of EUR ${amount} accepted` });
    await expect.poll(() => stands.innerText()).toBe('0 of 6 steps');
    expect(await button('Step back').isDisabled()).toBe(true);
    for (const played of [1, 2, 3, 4]) {
      await button('Next step').click();
      await expect.poll(() => stands.innerText()).toBe(`${played} of 6 steps`);
    }
    await sale('8.00').waitFor();
    await expect.poll(() => screen.innerText()).toContain('€8.00');
    // Goes back to earlier steps in three ways: with the button, with an entry in the list of steps, and with the
    // keyboard.
    await button('Step back').click();
    await expect.poll(() => stands.innerText()).toBe('state after step 3 of 6');
    await page.getByRole('button', { name: /^pay: 5/ }).click();
    await expect.poll(() => stands.innerText()).toBe('state after step 1 of 6');
    await expect.poll(() => screen.innerText()).toContain('Present card\n€5.00');
    await expect.poll(() => dimmed.filter({ hasText: 'EUR 8.00' }).count()).toBe(1);
    expect(await dimmed.filter({ hasText: 'EUR 5.00 accepted' }).count()).toBe(0);
    await page.keyboard.press('ArrowRight');
    await expect.poll(() => stands.innerText()).toBe('state after step 2 of 6');
    await page.keyboard.press('ArrowLeft');
    await expect.poll(() => stands.innerText()).toBe('state after step 1 of 6');
    // While the console showed earlier steps, the run was paused. Now the console shows the step that the run had
    // reached.
    await button('To where it stands').click();
    await expect.poll(() => stands.innerText()).toBe('4 of 6 steps');
    await expect.poll(() => screen.innerText()).toContain('€8.00');
    await expect.poll(() => dimmed.count()).toBe(0);
    await button('Play').click();
    await expect.poll(() => stands.innerText(), { timeout: 60_000 }).toBe('6 of 6 steps passed');
    // The console plays a finished run again from the start, and makes no new payment.
    await button('Play').click();
    await expect.poll(() => stands.innerText()).toContain('state after step 1 of 6');
    await expect.poll(() => stands.innerText(), { timeout: 60_000 }).toBe('6 of 6 steps passed');
    await button('Play').waitFor();
    await page.getByRole('searchbox', { name: 'Find' }).fill('payment.accepted');
    await page.getByText('1 of 2 hits').waitFor();
    expect(harness.journal('payment.accepted')).toEqual([]);
    expect(complaints).toEqual([]);
  },
);
