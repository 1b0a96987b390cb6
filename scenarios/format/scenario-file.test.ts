import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { ScenarioFile, ScenarioFileError } from './scenario-file.ts';

function scenarioPath(): string {
  const folder = mkdtempSync(join(tmpdir(), 'scenario-file-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  return join(folder, 'one.yaml');
}

/** Returns the message about the mistakes in a file. The folder of the file is removed from the message. */
function faultOf(file: string): string {
  try {
    new ScenarioFile(file);
  } catch (error) {
    if (error instanceof ScenarioFileError) return error.message.replaceAll(file, 'one.yaml');
    throw error;
  }
  throw new Error('it was accepted');
}

const ninefold = (number: number) => `  a${number}: &a${number} [${`*a${number - 1}, `.repeat(9)}]\n`;

test.each([
  [
    'an alias that leads back to itself',
    'vars:\n  b: &b 1\n  a: &a [*b, *a]\n',
    '4:14: *a is an alias for a value that contains this alias',
  ],
  [
    'one that leads back from far below',
    'vars: &a\n  b:\n    c: [{ d: *a }]\n',
    '4:14: *a is an alias for a value that contains this alias',
  ],
  [
    'an alias of nothing',
    'vars:\n  a: *b\n',
    '3:6: *b is an alias that is not defined: put a text that begins with * in quotes',
  ],
  [
    'aliases that multiply',
    `vars:\n  a0: &a0 [1]\n${[1, 2, 3, 4, 5, 6].map(ninefold).join('')}`,
    '4:12: aliases (*name) expand to too much data, or values are nested too deeply',
  ],
  ['a key that comes twice', 'tags: []\ntags: []\n', '3:1: Map keys must be unique'],
  [
    'brackets without end',
    `vars: ${'['.repeat(20_000)}`,
    /^one\.yaml:2:\d+: values are nested too deeply here$/,
  ],
])('%s is refused in one line with its place', (_what, lines, said) => {
  const file = scenarioPath();
  writeFileSync(file, `name: A\n${lines}`);
  if (typeof said === 'string') expect(faultOf(file)).toBe(`one.yaml:${said}`);
  else expect(faultOf(file)).toMatch(said);
});

test('something that is not a file, or too large for a scenario, is not read', () => {
  const [pipe, folder, large] = [scenarioPath(), scenarioPath(), scenarioPath()];
  execFileSync('mkfifo', [pipe]);
  mkdirSync(folder);
  writeFileSync(large, `name: ${'a'.repeat(1_000_000)}\n`);
  expect(faultOf(pipe)).toBe('one.yaml:1:1: cannot be read: it is not a file');
  expect(faultOf(folder)).toBe('one.yaml:1:1: cannot be read: it is a folder');
  expect(faultOf(large)).toBe('one.yaml:1:1: cannot be read: it has more than 1 MB');
});
