import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, onTestFinished } from 'vitest';
import { isThoroughRun } from '../draws.ts';
import { testWith } from '../optional-programs.ts';
import { pythonPath } from '../python.ts';
import { driverCommand, exploreCommand } from './exploring.ts';

/**
 * Checks that the points of sale in the documentation survive what `pinpad explore` does to them, including crashes and
 * late requests (B304).
 */

const test = testWith('python3');
const root = join(import.meta.dirname, '../..');
const page = readFileSync(join(root, 'docs/recover-a-payment.md'), 'utf8');

/**
 * Sets each kind of fault once, where it does the most harm, because `pinpad explore` without `--only` takes minutes.
 */
const only = [
  ...['dropRequest', 'failRequest-503', 'failRequest-429', 'delayRequest-3s', 'duplicateRequest'],
  ...['dropAnswer', 'failAnswer-503', 'delayAnswer-210s', 'truncateAnswer-40', 'killBefore', 'killAfter'],
].map((fault) => `${fault}@payment-request.1`);
const further = ['powerOff@start', 'powerOff-never@presentCard', 'networkOff@authorizing', 'silent@host'];
const crashes = ['crash@after.accepted', 'crash@before.concluded'];
/**
 * The two faults of a pair are set in one run. The second fault happens when the program asks for the outcome after the
 * first fault.
 */
const pairs = ['delayRequest-3s@payment-request.1+dropAnswer@status.1'];

/** Writes one of the programs in the documentation page into a file. */
function programOf(language: 'ts' | 'python'): string {
  const folder = mkdtempSync(join(tmpdir(), 'pinpad-recover-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const file = join(folder, language === 'ts' ? 'take-payment.ts' : 'take_payment.py');
  writeFileSync(file, new RegExp(`\`\`\`${language}\n([^]*?)\`\`\``).exec(page)?.[1] ?? '');
  return file;
}

const env = { URL: '{url}', TOKEN: '{token}', TERMINAL: '{terminal}' };
const programs: Readonly<Record<string, () => string[]>> = {
  'examples/pos': () => driverCommand('cashier', process.execPath, join(root, 'examples/pos/src/main.ts')),
  'examples/python': () => driverCommand('example', join(root, 'examples/python')),
  'the program in TypeScript of recover a payment': () =>
    driverCommand('program', process.execPath, programOf('ts')),
  'the program in Python of recover a payment': () =>
    driverCommand('program', pythonPath(), '-B', programOf('python')),
};

describe.runIf(isThoroughRun)('a real program survives with restarts and late requests', () => {
  test.each(Object.keys(programs))('%s', { timeout: 300_000 }, async (name) => {
    const command = programs[name]?.() ?? [];
    const restart = command.map((word) => `'${word}'`).join(' ');
    const points = [...only, ...further, ...crashes, ...pairs];
    const { failed, findings, story } = await exploreCommand({
      ...{ command, restart, env, shopper: 'visa-credit', only: points },
    });
    expect(failed, story).toEqual({});
    expect(findings.survived, story).toHaveLength(points.length);
  });
});
