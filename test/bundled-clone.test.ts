import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';

test('a clone runs its bundle until a source file changes', () => {
  const { runs, source } = setup();
  expect(runs()).toBe('bundle');
  utimesSync(source, 0, 0);
  expect(runs()).toBe('sources');
});

test('a clone runs its sources if a source file was deleted, or there is no bundle', () => {
  const { folder, runs } = setup();
  rmSync(join(folder, 'shared.ts'));
  expect(runs()).toBe('sources');
  rmSync(join(folder, 'dist'), { recursive: true });
  expect(runs()).toBe('sources');
});

test('a debugger and a watcher use the sources of a clone', () => {
  const { runs } = setup();
  expect(runs({}, '--inspect=0')).toBe('sources');
  expect(runs({ NODE_OPTIONS: '--no-deprecation' })).toBe('sources');
  expect(runs({ WATCH_REPORT_DEPENDENCIES: '1' })).toBe('sources');
});

/** A clone of which each main program prints its own name. */
function setup() {
  const folder = mkdtempSync(join(tmpdir(), 'pinpad-clone-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  cpSync(join(import.meta.dirname, '../bin'), join(folder, 'bin'), { recursive: true });
  for (const part of ['cli', 'dist/cli']) mkdirSync(join(folder, part), { recursive: true });
  const write = (file: string, text: string) => writeFileSync(join(folder, file), text);
  write('package.json', '{"type":"module"}');
  write('shared.ts', '');
  write('cli/main.ts', `export const main = () => process.stdout.write('sources');`);
  write('dist/cli/main.js', `export const main = () => process.stdout.write('bundle');`);
  const changed = ['shared.ts', 'cli/main.ts'].map((file) => [file, statSync(join(folder, file)).mtimeMs]);
  write('dist/sources.json', JSON.stringify(Object.fromEntries(changed)));
  const runs = (env: NodeJS.ProcessEnv = {}, ...options: string[]) =>
    execFileSync(process.execPath, [...options, join(folder, 'bin/pinpad.js')], {
      env: { ...process.env, NODE_OPTIONS: '', ...env },
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'pipe'],
    });
  return { folder, source: join(folder, 'cli/main.ts'), runs };
}
