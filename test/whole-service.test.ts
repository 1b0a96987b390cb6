import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { expect, onTestFinished } from 'vitest';
import type { VirtualClock } from '../shared/virtual-clock.ts';
import { resolveConfig, startStack } from '../stack/index.ts';
import { testThoroughly } from './optional-programs.ts';
import { bash } from './run-bash.ts';
import { openPage } from './trace/browser.ts';

const root = join(import.meta.dirname, '..');
const secret = `whsec_${Buffer.alloc(32, 7).toString('base64')}`;
const day = 24 * 3_600_000;

function blocks(page: string, language: 'sh' | 'js'): string[] {
  const text = readFileSync(join(root, 'docs', page), 'utf8');
  return [...text.matchAll(new RegExp(`\`\`\`${language}\\n([\\s\\S]*?)\`\`\``, 'g'))].map(
    ([, block = '']) => block,
  );
}

/** Starts the receiver of docs/webhooks.md in a process of its own. */
async function startReceiver(folder: string): Promise<{ url: string; printed: string[] }> {
  symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'));
  writeFileSync(join(folder, 'receiver.mjs'), blocks('webhooks.md', 'js')[0] ?? '');
  const receiver = spawn(process.execPath, ['receiver.mjs'], {
    cwd: folder,
    env: { ...process.env, PORT: '0', WEBHOOK_SECRET: secret },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  onTestFinished(() => void receiver.kill());
  const printed: string[] = [];
  const url = await new Promise<string>((resolve) => {
    createInterface({ input: receiver.stdout }).on('line', (line) => {
      if (line.startsWith('http')) resolve(line);
      else printed.push(line);
    });
  });
  return { url, printed };
}

async function completeInBrowser(link: string): Promise<void> {
  const { page, complaints } = await openPage(link);
  await page.locator('#answer').fill('blue');
  await page.keyboard.press('Enter');
  await page.locator('#iban').fill('DE89 3704 0044 0532 0130 00');
  await page.keyboard.press('Enter');
  await page.getByText('3000').waitFor();
  await page.locator('form button').first().click();
  await page.locator('form').first().waitFor({ state: 'detached' });
  expect(complaints).toEqual([]);
}

testThoroughly('bash', 'curl', '/usr/bin/chromium')(
  'from the docs alone: charges, captures, refunds of which some fail later, a link completed in a browser, and the webhooks of all',
  async () => {
    const folder = mkdtempSync(join(tmpdir(), 'pinpad-whole-'));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    const stack = await startStack(
      resolveConfig(undefined, { port: 0, memory: true, clock: 'virtual', seed: 1, logLevel: 'silent' }),
    );
    onTestFinished(() => stack.close());
    const { url, printed } = await startReceiver(folder);
    const { webhooks, events } = stack.gateway;
    await webhooks.create({ accountId: 'demo-shop', url, secret });

    const env = { URL: stack.url, CONTROL_TOKEN: stack.controlToken, TOKEN: stack.tokens[0]?.token ?? '' };
    for (const page of ['saved-cards.md', 'refunds.md']) {
      const { code, output } = await bash(blocks(page, 'sh').join('\n'), env, folder);
      expect(code, output).toBe(0);
    }
    const asFarAsTheLink = blocks('payment-links.md', 'sh').slice(0, 3).join('\n');
    const { code, output } = await bash(`${asFarAsTheLink}\necho "LINK IS $LINK"`, env, folder);
    expect(code, output).toBe(0);
    await completeInBrowser(/^LINK IS (http.*)$/m.exec(output)?.[1] ?? '');
    await (stack.runtime.clock as VirtualClock).advance(8 * day);

    const stored = (await events.list({ limit: 1000 })).reverse();
    const idOf = (line: string) => line.split(' ')[0] as string;
    expect(printed.map(idOf).toSorted()).toEqual(stored.map(({ id }) => id).toSorted());
    const types = new Set(stored.map(({ type }) => type));
    for (const type of ['debits.completed', 'debits.preauthorized', 'debits.paid', 'refunds.failed'])
      expect(types).toContain(`payments.${type}`);
    expect(printed.some((line) => line.endsWith('payments.credits.completed completed 25.50'))).toBe(true);
  },
  60_000,
);
