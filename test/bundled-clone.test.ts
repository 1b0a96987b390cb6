import { execFileSync } from 'node:child_process';
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { contentHashOf, latestBundleNoteFile } from '../bin/clone-bundle.js';

test('a clone runs its bundle until a source file changes', () => {
  const { write, runs } = setup();
  expect(runs()).toBe('dist');
  write('shared.ts', 'changed');
  expect(runs()).toBe('sources');
});

test('a clone still runs its bundle if a source file changes back, or only its times change', () => {
  const { folder, write, runs } = setup();
  write('shared.ts', 'changed');
  write('shared.ts', '');
  utimesSync(join(folder, 'cli/main.ts'), 0, 0);
  expect(runs()).toBe('dist');
});

test('a change that keeps the size and the time of a source file is noticed', () => {
  const { folder, write, addBundle, runs } = setup();
  const source = join(folder, 'cli/main.ts');
  const [atime, mtime] = [1_000_000, 1_000_000];
  utimesSync(source, atime, mtime);
  addBundle('dist');
  write('cli/main.ts', readFileSync(source, 'utf8').replace('sources', 'Sources'));
  utimesSync(source, atime, mtime);
  expect(runs()).toBe('Sources');
});

test('a file that is added to a folder of the bundle is noticed', () => {
  const { write, runs } = setup();
  write('assets/added.css', '');
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

test('a clone with two bundles runs the one that was made from its sources', () => {
  const { write, addBundle, runs } = setup();
  addBundle('.background-bundle-one');
  write(latestBundleNoteFile, '.background-bundle-one');
  expect(runs()).toBe('.background-bundle-one');
  write('shared.ts', 'changed');
  addBundle('.background-bundle-one');
  expect(runs()).toBe('.background-bundle-one');
  write('shared.ts', '');
  expect(runs()).toBe('dist');
});

test('a process removes its mark from the bundle that it ran, and stores the code compiled by Node there', () => {
  const { folder, write, addBundle, runs } = setup();
  addBundle('.background-bundle-one');
  write(latestBundleNoteFile, '.background-bundle-one');
  runs({ NODE_COMPILE_CACHE: '' });
  expect(readdirSync(join(folder, '.background-bundle-one/users'))).toEqual([]);
  expect(existsSync(join(folder, '.background-bundle-one/compiled'))).toBe(true);
});

test.each(['', '.background-bundle-gone', '.background-bundle-one/../dist', 'shared', '\0'])(
  'if the name of the latest bundle is %j, a clone runs its other bundle',
  (name) => {
    const { write, runs } = setup();
    write(latestBundleNoteFile, name);
    expect(runs()).toBe('dist');
  },
);

test('a process does not run a bundle that it cannot mark as used', () => {
  const { folder, write, addBundle, runs } = setup();
  addBundle('.background-bundle-one');
  write(latestBundleNoteFile, '.background-bundle-one');
  rmSync(join(folder, '.background-bundle-one/users'), { recursive: true });
  expect(runs()).toBe('sources');
});

/** Makes a small clone of the project. Each main program in it only prints its own name. */
function setup() {
  const folder = mkdtempSync(join(tmpdir(), 'pinpad-clone-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  cpSync(join(import.meta.dirname, '../bin'), join(folder, 'bin'), { recursive: true });
  const write = (file: string, text: string) => {
    mkdirSync(dirname(join(folder, file)), { recursive: true });
    writeFileSync(join(folder, file), text);
  };
  write('package.json', '{"type":"module"}');
  write('shared.ts', '');
  write('assets/one.css', '');
  write('cli/main.ts', `export const main = () => process.stdout.write('sources');`);
  const addBundle = (name: string) => {
    write(`${name}/cli/main.js`, `export const main = () => process.stdout.write('${name}');`);
    mkdirSync(join(folder, name, 'users'), { recursive: true });
    const noted = ['shared.ts', 'cli/main.ts', 'assets'].map((file) => {
      const { size, mtimeMs, ctimeMs } = statSync(join(folder, file));
      return [file, size, mtimeMs, ctimeMs, contentHashOf(join(folder, file))];
    });
    write(`${name}/sources.json`, JSON.stringify(noted));
  };
  addBundle('dist');
  const runs = (env: NodeJS.ProcessEnv = {}, ...options: string[]) =>
    execFileSync(process.execPath, [...options, join(folder, 'bin/pinpad.js')], {
      env: { ...process.env, NODE_OPTIONS: '', ...env },
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'pipe'],
    });
  return { folder, write, addBundle, runs };
}
