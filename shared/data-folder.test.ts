import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { until } from '../test/until.ts';
import { prepareDataFolder, writePrivateFile } from './data-folder.ts';
import { StartError } from './start-error.ts';

let root: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'pinpad-folder-'));
});
afterEach(() => rmSync(root, { recursive: true }));

/** Returns the one line that says why the folder cannot be used. */
function refusal(folder: string): string {
  try {
    prepareDataFolder(folder);
  } catch (error) {
    expect(error).toBeInstanceOf(StartError);
    return (error as Error).message;
  }
  throw new Error(`${folder} was opened`);
}

test('a folder and its parents are made, and no file is left in it', () => {
  const folder = join(root, 'a/b/c');
  expect(prepareDataFolder(folder)).toBe(folder);
  expect(prepareDataFolder(folder)).toBe(folder);
  expect(readdirSync(folder)).toEqual([]);
});

test('the error names a file that is in the way', () => {
  writeFileSync(join(root, 'file'), '');
  expect(refusal(join(root, 'file/below'))).toContain(`${root}/file is a file`);
});

test('a link that leads nowhere is refused', () => {
  symlinkSync(join(root, 'nowhere'), join(root, 'link'));
  expect(refusal(join(root, 'link'))).toContain(`${root}/link is a link to a folder that does not exist`);
});

test.runIf(existsSync('/proc/self'))('a folder of a virtual file system is refused, and at once', () => {
  expect(refusal('/proc/pinpad/data')).toMatch(/^cannot keep data in the folder \/proc\/pinpad\/data: /);
  expect(refusal('/proc')).toMatch(
    /^cannot keep data in the folder \/proc: .*; choose another folder with --data, or keep nothing with --memory$/,
  );
});

const modeOf = (path: string) => (statSync(path).mode & 0o777).toString(8);
const onPosix = process.platform !== 'win32';

test.runIf(onPosix)(
  'a folder made here is private to its owner, and its parents have the usual permissions',
  () => {
    const folder = join(root, 'a/b');
    prepareDataFolder(folder);
    expect(modeOf(folder)).toBe('700');
    expect(modeOf(join(root, 'a'))).toBe((0o777 & ~process.umask()).toString(8));
  },
);

test.runIf(onPosix)(
  'a folder of this user that others can read is corrected with a warning, and one of another user is left alone',
  () => {
    const folder = join(root, 'data');
    mkdirSync(folder, { mode: 0o755 });
    const ours = [
      'pinpad.sqlite',
      'pinpad.sqlite-wal',
      'pinpad.sqlite-shm',
      'pinpad.sqlite-lock',
      'terminals.sqlite',
      'credentials.json',
    ];
    for (const name of [...ours, 'running.json', 'notes.txt']) {
      writeFileSync(join(folder, name), '');
      chmodSync(join(folder, name), 0o644);
    }
    chmodSync(folder, 0o755);
    const warnings: string[] = [];
    prepareDataFolder(folder, (message) => warnings.push(message));
    expect(modeOf(folder)).toBe('700');
    for (const name of [...ours, 'running.json'])
      expect([name, modeOf(join(folder, name))]).toEqual([name, '600']);
    expect(modeOf(join(folder, 'notes.txt'))).toBe('644');
    expect(warnings).toHaveLength(8);
    expect(warnings[0]).toContain(`${folder} could be read by other users`);
    prepareDataFolder(folder, (message) => warnings.push(message));
    expect(warnings).toHaveLength(8);
  },
);

test.runIf(onPosix)('a private file is private even if it replaces one that others could read (B124)', () => {
  const file = join(root, 'secret.json');
  for (const name of [file, `${file}.new`]) {
    writeFileSync(name, 'former');
    chmodSync(name, 0o644);
  }
  writePrivateFile(file, 'latter');
  expect([readFileSync(file, 'utf8'), modeOf(file), readdirSync(root)]).toEqual([
    'latter',
    '600',
    ['secret.json'],
  ]);
});

test('files that another process adds and removes in the folder do not make opening fail', async () => {
  const program = `
    const { rmSync, writeFileSync } = require('node:fs');
    const file = require('node:worker_threads').workerData;
    for (;;) { writeFileSync(file, '', { mode: 0o600 }); rmSync(file); }`;
  const workerData = join(root, 'pinpad.sqlite-journal');
  const other = new Worker(program, { eval: true, workerData });
  await until('the other one is at work', () => existsSync(workerData));
  for (let starts = 0; starts < 2_000; starts++) prepareDataFolder(root);
  await other.terminate();
});
