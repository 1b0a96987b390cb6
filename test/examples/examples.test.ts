import { execFile } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { testWith } from '../optional-programs.ts';

/** The examples do what they show, and their tests can fail. */

const root = join(import.meta.dirname, '../..');
const run = promisify(execFile);
const node = process.execPath;
const vitest = join(root, 'node_modules/vitest/vitest.mjs');

async function tillTests(config: string): Promise<{ passed: boolean; output: string }> {
  const env = { ...process.env, NO_COLOR: '1', VITEST: undefined, NODE_ENV: undefined };
  try {
    const { stdout } = await run(node, [vitest, 'run', '--config', config], { cwd: root, env });
    return { passed: true, output: stdout };
  } catch (error) {
    const { stdout = '', stderr = '' } = error as { stdout?: string; stderr?: string };
    return { passed: false, output: stdout + stderr };
  }
}

test('the example till passes its own tests', { timeout: 60_000 }, async () => {
  const { passed, output } = await tillTests(join(root, 'test/examples/till.vitest.config.ts'));
  expect(passed, output).toBe(true);
  expect(output).toMatch(/6 passed/);
});

test('without its recovery the example till fails them', { timeout: 60_000 }, async () => {
  const folder = mkdtempSync(join(tmpdir(), 'till-'));
  try {
    for (const part of ['src', 'test', 'package.json'])
      cpSync(join(root, 'examples/till', part), join(folder, part), { recursive: true });
    symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'));
    const client = join(folder, 'src/payments-client.ts');
    const careless = readFileSync(client, 'utf8').replace(
      'ask = () => this.#status(key);',
      "throw new PaymentRefused('unknown', 'no answer');",
    );
    expect(careless).toContain('no answer');
    writeFileSync(client, careless);
    const config = readFileSync(join(root, 'test/examples/till.vitest.config.ts'), 'utf8')
      .replace("join(import.meta.dirname, '../..')", JSON.stringify(root))
      .replace("join(root, 'examples/till')", JSON.stringify(folder));
    writeFileSync(join(folder, 'vitest.config.ts'), config);
    const { passed, output } = await tillTests(join(folder, 'vitest.config.ts'));
    expect(passed, output).toBe(false);
    expect(output).toMatch(/a customer who takes longer than 150 seconds has paid all the same/);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});

testWith('python3')('the same in Python passes', { timeout: 60_000 }, async () => {
  const env = {
    ...process.env,
    PINPAD: `'${node}' '${join(root, 'bin/pinpad.js')}'`,
    PYTHONDONTWRITEBYTECODE: '1',
  };
  const { stderr } = await run('python3', ['-m', 'unittest', 'test_till'], {
    cwd: join(root, 'examples/python'),
    env,
  });
  expect(stderr).toMatch(/Ran 3 tests[\s\S]*OK/);
});
