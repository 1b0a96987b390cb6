import { execFile } from 'node:child_process';
import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, onTestFinished, test } from 'vitest';
import type { Pinpad } from '../testing/index.ts';
import { makePosProject, vitestIn } from './examples/pos-project.ts';
import { testThoroughly } from './optional-programs.ts';

const testInCi = testThoroughly();

/** Runs every block of docs/testing.md as it is, in the folder of the example POS. */

const root = join(import.meta.dirname, '..');
const page = readFileSync(join(root, 'docs/testing.md'), 'utf8');
const blocks = [...page.matchAll(/```ts\n([\s\S]*?)```/g)].map(([, text = '']) => text);

testInCi('every test on the page passes', { timeout: 60_000 }, async () => {
  const project = makePosProject();
  onTestFinished(() => rmSync(project, { recursive: true, force: true }));
  for (const own of readdirSync(join(project, 'test')))
    if (own.endsWith('.test.ts')) rmSync(join(project, 'test', own));
  const plain: string[] = [];
  for (const [index, block] of blocks.entries()) {
    const isPlain = block.includes("'node:test'");
    const file = join(project, 'test', isPlain ? `${index}.node.ts` : `${index}.test.ts`);
    writeFileSync(file, block);
    if (isPlain) plain.push(file);
  }
  expect((await vitestIn(project)).output).toMatch(/Tests {2}3 passed/);
  const env = { ...process.env, NODE_TEST_CONTEXT: undefined };
  const node = ['--test', '--test-reporter=tap', ...plain];
  const { stdout } = await promisify(execFile)(process.execPath, node, { env });
  expect(stdout).toMatch(/^# pass 1$/m);
});

/** Every public name. The test compares the page with these names. */
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
  sales: true,
  believes: true,
  beliefsUrl: true,
  history: true,
  trace: true,
  lint: true,
  report: true,
  control: true,
};

test('the page names everything that a Pinpad object can do', () => {
  const named = page.slice(page.indexOf('## What there is'));
  expect(Object.keys(everything).filter((name) => !new RegExp(`[.\`]${name}\\b`).test(named))).toEqual([]);
});
