import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, onTestFinished, test } from 'vitest';
import { pinpadCommand } from '../built-package.ts';
import { testThoroughly } from '../optional-programs.ts';
import { makePosProject, vitestIn } from './pos-project.ts';
import { startBuiltPinpad } from './running-pinpad.ts';

const testInCi = testThoroughly();

/** Checks that the examples do what they promise, and that their tests can fail. */

const root = join(import.meta.dirname, '../..');

function pos(): string {
  const folder = makePosProject();
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** Traces of failed tests are written into the project's folder, so they are removed together with it. */
const posTests = (folder: string, only?: string) =>
  vitestIn(folder, { ...(only ? { only } : {}), env: { PINPAD_TRACES: join(folder, 'traces') } });

test('the example POS passes its own tests', { timeout: 60_000 }, async () => {
  const { passed, output } = await posTests(pos());
  expect(passed, output).toBe(true);
  expect(output).toMatch(/16 passed/);
});

interface Mistake {
  name: string;
  file: string;
  from: string | RegExp;
  to: string;
  and?: { from: string; to: string };
  fails: string;
  lint?: string;
}

/**
 * The mistakes to plant. Each names the code that is replaced in the POS, the test that notices this, and the lint
 * rule that reports it.
 */
const mistakes: Mistake[] = [
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
  {
    name: 'a POS that takes a 404 for a payment that never began',
    file: 'payments-client.ts',
    from: 'return this.#close(sale);',
    to: "return { identifier: '', response: { result: 'failure', errorCondition: 'aborted' } };",
    fails: 'a request that arrives after its POS was killed and came back charges nothing',
  },
];

describe('the tests of the example find missing recovery, and lint names those mistakes for which it has a rule:', () => {
  testInCi.each(mistakes)('$name', { timeout: 60_000 }, async ({ file, from, to, and, fails, lint }) => {
    const folder = pos();
    const path = join(folder, 'src', file);
    const right = readFileSync(path, 'utf8');
    const wrong = right.replace(from, to);
    expect(wrong).not.toBe(right);
    writeFileSync(path, and ? wrong.replace(and.from, and.to) : wrong);
    const { passed, output } = await posTests(folder, fails);
    expect(passed, output).toBe(false);
    expect(output).toMatch(new RegExp(`× ${fails}`));
    if (lint === undefined) return;
    expect(output).toMatch(
      new RegExp(`What happened in "${fails}"[\\s\\S]*Mistakes of the point of sale:\n${lint} `),
    );
  });
});

testThoroughly('python3')('the same in Python passes', { timeout: 60_000 }, async () => {
  const env = {
    ...process.env,
    PINPAD: `'${process.execPath}' '${pinpadCommand()}'`,
    PYTHONDONTWRITEBYTECODE: '1',
  };
  const { stderr } = await promisify(execFile)('python3', ['-m', 'unittest', 'test_pos'], {
    cwd: join(root, 'examples/python'),
    env,
  });
  expect(stderr).toMatch(/Ran 4 tests[\s\S]*OK/);
});

/** Runs a program that tests a POS in another language. Resolves to its output, even if it failed. */
async function printed(program: string, args: string[], cwd: string, env: Record<string, string>) {
  const options = { cwd, env: { ...process.env, ...env } };
  const { stdout, stderr } = await promisify(execFile)(program, args, options).catch(
    (failed: { stdout: string; stderr: string }) => failed,
  );
  return stdout + stderr;
}

testThoroughly('go')('the same in Go passes', async () => {
  const env = { ...(await startBuiltPinpad()), GOFLAGS: '-mod=mod', GOTOOLCHAIN: 'local' };
  const output = await printed('go', ['test', '-count=1', '-v', '.'], join(root, 'examples/go'), env);
  expect(output.match(/^--- PASS/gm), output).toHaveLength(3);
  expect(output).not.toContain('--- FAIL');
});

const jars = '/usr/share/java';
const junit = `${jars}/junit-platform-console.jar`;

testThoroughly('javac', junit)('the same in Java passes', async () => {
  const classes = mkdtempSync(join(tmpdir(), 'till-'));
  onTestFinished(() => rmSync(classes, { recursive: true }));
  const from = join(root, 'examples/java');
  const compiled = await printed('javac', ['-d', classes, '-cp', `${jars}/*`, 'TillTest.java'], from, {});
  expect(compiled).toBe('');
  const names = ['junit-jupiter-api', 'junit-jupiter-engine', 'opentest4j', 'apiguardian-api', 'picocli'];
  const platform = ['console', 'launcher', 'engine', 'commons', 'reporting'].map(
    (part) => `junit-platform-${part}`,
  );
  const path = [classes, ...[...names, ...platform].map((name) => `${jars}/${name}.jar`)].join(':');
  const launch = ['org.junit.platform.console.ConsoleLauncher', '-c', 'TillTest', '--disable-banner'];
  const output = await printed('java', ['-cp', path, ...launch], from, await startBuiltPinpad());
  expect(output).toMatch(/3 tests successful[\s\S]*0 tests failed/);
});
