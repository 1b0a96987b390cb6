import { execFile } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, test } from 'vitest';
import { testWith } from '../optional-programs.ts';

/** The examples do what they show, and their tests can fail. */

const root = join(import.meta.dirname, '../..');
const run = promisify(execFile);
const node = process.execPath;
const vitest = join(root, 'node_modules/vitest/vitest.mjs');

async function posTests(pos: string, only = ''): Promise<{ passed: boolean; output: string }> {
  const traces = mkdtempSync(join(tmpdir(), 'traces-'));
  const env = { ...process.env, NO_COLOR: '1', VITEST: undefined, NODE_ENV: undefined };
  const config = join(root, 'test/examples/pos.vitest.config.ts');
  try {
    const { stdout } = await run(node, [vitest, 'run', '--config', config, '--root', pos, '-t', only], {
      cwd: root,
      env: { ...env, PINPAD_TRACES: traces },
      maxBuffer: 10_000_000,
    });
    return { passed: true, output: stdout };
  } catch (error) {
    const { stdout = '', stderr = '' } = error as { stdout?: string; stderr?: string };
    return { passed: false, output: stdout + stderr };
  } finally {
    rmSync(traces, { recursive: true, force: true });
  }
}

test('the example POS passes its own tests', { timeout: 60_000 }, async () => {
  const { passed, output } = await posTests(join(root, 'examples/pos'));
  expect(passed, output).toBe(true);
  expect(output).toMatch(/11 passed/);
});

/** What is taken out of the POS, which test misses it, and what lint calls it. */
const mistakes = [
  {
    name: 'a POS that takes a 303 for the end',
    file: 'payments-client.ts',
    from: /response\?\.status === 202 \|\| response\?\.status === 303/,
    to: 'false',
    and: { from: 'retryAfterMs[failures++]', to: 'undefined as number | undefined' },
    fails: 'a customer who takes longer than 150 seconds has paid all the same',
    lint: 'ignored-303',
  },
  {
    name: 'a POS that does not ask again after a lost answer',
    file: 'payments-client.ts',
    from: 'retryAfterMs[failures++]',
    to: 'undefined as number | undefined',
    fails: 'the answer is lost, and the sale is paid once',
    lint: 'unknown-outcome',
  },
  {
    name: 'a POS that finds nothing out when it starts',
    file: 'main.ts',
    from: 'sales.recover();',
    to: '',
    fails: 'a POS that is killed while the customer pays knows of it afterwards',
    lint: 'unknown-outcome',
  },
];

describe.concurrent('its tests miss the recovery where there is none, and lint names it:', () => {
  test.each(mistakes)('$name', { timeout: 60_000 }, async ({ file, from, to, and, fails, lint }) => {
    const folder = mkdtempSync(join(tmpdir(), 'pos-'));
    try {
      for (const part of ['src', 'test', 'package.json'])
        cpSync(join(root, 'examples/pos', part), join(folder, part), { recursive: true });
      symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'));
      const path = join(folder, 'src', file);
      const right = readFileSync(path, 'utf8');
      const wrong = right.replace(from, to);
      expect(wrong).not.toBe(right);
      writeFileSync(path, and ? wrong.replace(and.from, and.to) : wrong);
      const { passed, output } = await posTests(folder, fails);
      expect(passed, output).toBe(false);
      expect(output).toMatch(new RegExp(`× ${fails}`));
      expect(output).toMatch(
        new RegExp(`What happened in "${fails}"[\\s\\S]*What the point of sale did wrong:\n${lint} `),
      );
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  });
});

testWith('python3')('the same in Python passes', { timeout: 60_000 }, async () => {
  const env = {
    ...process.env,
    PINPAD: `'${node}' '${join(root, 'bin/pinpad.js')}'`,
    PYTHONDONTWRITEBYTECODE: '1',
  };
  const { stderr } = await run('python3', ['-m', 'unittest', 'test_pos'], {
    cwd: join(root, 'examples/python'),
    env,
  });
  expect(stderr).toMatch(/Ran 3 tests[\s\S]*OK/);
});
