import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';

/** The examples in docstrings of what tests call: each is there, and its types are right. */

const root = join(import.meta.dirname, '..');
const files = ['testing/pinpad.ts', 'testing/start-pinpad.ts', 'client/index.ts', 'client/control-client.ts'];
const documented =
  /\/\*\*((?:(?!\*\/)[\s\S])*)\*\/\n(?: {2}(?!static)(?:async )?|export (?:async )?function )([a-z]\w*)(?:<[^(]*>)?\(/g;
const declared = /^(?: {2}(?:async )?|export (?:async )?function )([a-z]\w*)(?:<[^(]*>)?\((?![^\n]*;$)/gm;
const notForUsers = ['constructor', 'inMs'];

const read = (file: string) => readFileSync(join(root, file), 'utf8');
const examples = files.flatMap((file) =>
  [...read(file).matchAll(documented)].flatMap(([, text = '', name = '']) => {
    const [, example] = /@example\n([\s\S]*)$/.exec(text) ?? [];
    return example ? [{ name, code: example.replaceAll(/^ *\* ?/gm, '') }] : [];
  }),
);

test('each public function and method has an example', () => {
  const names = files.flatMap((file) => [...read(file).matchAll(declared)].map(([, name = '']) => name));
  const without = names.filter(
    (name) => !notForUsers.includes(name) && !examples.some((each) => each.name === name),
  );
  expect(names).toEqual(
    expect.arrayContaining(['shows', 'expect', 'believes', 'close', 'startPinpad', 'createClient']),
  );
  expect(without).toEqual([]);
});

test('the types of each example are right', { timeout: 300_000 }, () => {
  const folder = mkdtempSync(join(root, 'testing/examples-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const known = `import { attachPinpad, startPinpad, type Pinpad } from '../index.ts';
import { createClient, createControlClient } from '../../client/index.ts';
import { expect } from '../vitest.ts';
export const used = [attachPinpad, startPinpad, createClient, createControlClient, expect];
export declare const pinpad: Pinpad;
`;
  for (const { name, code } of examples) writeFileSync(join(folder, `${name}.ts`), `${known}{\n${code}\n}\n`);
  const settings = { noEmit: true, noUnusedLocals: false, declaration: false };
  writeFileSync(
    join(folder, 'tsconfig.json'),
    JSON.stringify({ extends: '../../tsconfig.json', compilerOptions: settings, include: ['*.ts'] }),
  );
  const tsc = join(root, 'node_modules/typescript/bin/tsc');
  expect(typesOf(tsc, folder)).toBe('');
});

/** Gives what the compiler says of the examples. */
function typesOf(tsc: string, folder: string): string {
  try {
    return execFileSync(process.execPath, [tsc, '-p', folder], { encoding: 'utf8' });
  } catch (error) {
    const { stdout } = error as { stdout: string };
    return stdout
      .split('\n')
      .filter((line) => line.includes('examples-'))
      .join('\n');
  }
}
