import { execFile } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import type { Pinpad } from '../testing/index.ts';

/** docs/testing.md, tried: every block of it runs as it stands, in the folder of the example POS. */

const root = join(import.meta.dirname, '..');
const page = readFileSync(join(root, 'docs/testing.md'), 'utf8');
const blocks = [...page.matchAll(/```ts\n([\s\S]*?)```/g)].map(([, text = '']) => text);
const run = promisify(execFile);
const env = {
  ...process.env,
  NO_COLOR: '1',
  VITEST: undefined,
  NODE_ENV: undefined,
  NODE_TEST_CONTEXT: undefined,
};

test('every test of the page passes', { timeout: 60_000 }, async () => {
  const folder = mkdtempSync(join(tmpdir(), 'docs-'));
  try {
    cpSync(join(root, 'examples/pos'), folder, {
      recursive: true,
      filter: (path) => !/node_modules|pos\.test\.ts$/.test(path),
    });
    symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'));
    const plain: string[] = [];
    for (const [index, block] of blocks.entries()) {
      const isPlain = block.includes("'node:test'");
      const file = join(folder, 'test', isPlain ? `${index}.node.ts` : `${index}.test.ts`);
      const library = JSON.stringify(join(root, 'testing/index.ts'));
      writeFileSync(file, isPlain ? block.replace("'pinpad/testing'", library) : block);
      if (isPlain) plain.push(file);
    }
    const vitest = [join(root, 'node_modules/vitest/vitest.mjs'), 'run', '--root', folder];
    const config = ['--config', join(root, 'test/examples/pos.vitest.config.ts')];
    const inVitest = await run(process.execPath, [...vitest, ...config], { env, cwd: root });
    expect(inVitest.stdout).toMatch(/Tests {2}2 passed/);
    const inNode = await run(process.execPath, ['--test', '--test-reporter=tap', ...plain], { env });
    expect(inNode.stdout).toMatch(/^# pass 1$/m);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});

/** Everything public there is, so that the page can be compared with it. */
type Public = { [Name in keyof Pinpad]: Name extends string ? Name : never }[keyof Pinpad];
const everything: Record<
  Exclude<Public, 'terminals' | 'controlToken' | 'settled' | 'shows' | 'close'>,
  true
> = {
  url: true,
  token: true,
  terminal: true,
  terminalId: true,
  pos: true,
  world: true,
  webhooks: true,
  customer: true,
  host: true,
  clock: true,
  expect: true,
  journal: true,
  history: true,
  trace: true,
  lint: true,
  report: true,
  control: true,
};

test('the page names everything a pinpad can do', () => {
  const named = page.slice(page.indexOf('## What there is'));
  expect(Object.keys(everything).filter((name) => !new RegExp(`[.\`]${name}\\b`).test(named))).toEqual([]);
});
