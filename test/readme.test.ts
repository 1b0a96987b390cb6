import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { resolveConfig, startStack } from '../stack/index.ts';
import { testWith } from './optional-programs.ts';
import { bash } from './run-bash.ts';

/** Runs what README.md shows. */

const root = join(import.meta.dirname, '..');
const readme = readFileSync(join(root, 'README.md'), 'utf8');
const blocks = [...readme.matchAll(/```\n([\s\S]*?)```/g)].map(([, text = '']) => text);

testWith('bash', 'curl')('the payment of the quick start is approved as the page says', async () => {
  const stack = await startStack(
    resolveConfig(undefined, { port: 0, memory: true, pacing: 'instant', seed: 1, logLevel: 'silent' }),
  );
  try {
    const [pay = '', cardholder = ''] = blocks
      .filter((block) => block.includes('curl'))
      .map((block) => block.replaceAll('http://127.0.0.1:8080', stack.url));
    const env = {
      TERMINAL: stack.terminals[0]?.identifier ?? '',
      TOKEN: stack.tokens[0]?.token ?? '',
      CONTROL_TOKEN: stack.controlToken,
    };
    const firstWindow = bash(pay, env, tmpdir());
    const second = await bash(cardholder, env, tmpdir());
    expect(second.code, second.output).toBe(0);
    const { output } = await firstWindow;
    expect(output).toMatch(/"result":"success"/);
    expect(output).toMatch(/"tipAmount":2.25/);
    expect(output.match(/"documentQualifier":/g)).toHaveLength(2);
    expect(second.output).toContain('CARDHOLDER COPY');
  } finally {
    await stack.close();
  }
});

test('the page names every command of pinpad, and no other', () => {
  const help = execFileSync(process.execPath, [join(root, 'bin/pinpad.js'), '--help'], { encoding: 'utf8' });
  const commands = [...help.matchAll(/^ {2}([a-z-]+)(?: .*)?$/gm)].map(([, name]) => name);
  const named = [...readme.matchAll(/^\| `npx pinpad ([a-z-]+)/gm)].map(([, name]) => name);
  expect(new Set(named)).toEqual(new Set(commands.filter((name) => name !== 'help')));
});

test('CONTRIBUTING names every script, except those that npm calls by itself', () => {
  const { scripts } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
    scripts: Record<string, string>;
  };
  const page = readFileSync(join(root, 'CONTRIBUTING.md'), 'utf8');
  const named = new Set([...page.matchAll(/`npm (?:run )?([a-z][a-z:-]*)/g)].map(([, name]) => name));
  const unnamed = Object.keys(scripts).filter((name) => !named.has(name) && !/^pre(pare|pack)$/.test(name));
  expect(unnamed).toEqual([]);
});
