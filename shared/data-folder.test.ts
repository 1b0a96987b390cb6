import { existsSync, mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { openDataFolder } from './data-folder.ts';
import { StartError } from './start-error.ts';

let root: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'pinpad-folder-'));
});
afterEach(() => rmSync(root, { recursive: true }));

/** The one line that says why not. */
function refusal(folder: string): string {
  try {
    openDataFolder(folder);
  } catch (error) {
    expect(error).toBeInstanceOf(StartError);
    return (error as Error).message;
  }
  throw new Error(`${folder} was opened`);
}

test('a folder and its parents are made, and nothing is left in it', () => {
  const folder = join(root, 'a/b/c');
  expect(openDataFolder(folder)).toBe(folder);
  expect(openDataFolder(folder)).toBe(folder);
  expect(readdirSync(folder)).toEqual([]);
});

test('a file on the way is named', () => {
  writeFileSync(join(root, 'file'), '');
  expect(refusal(join(root, 'file/below'))).toContain(`${root}/file is a file`);
});

test('a link that leads nowhere is refused', () => {
  symlinkSync(join(root, 'nowhere'), join(root, 'link'));
  expect(refusal(join(root, 'link'))).toContain('EEXIST');
});

test.runIf(existsSync('/proc/self'))('a folder of a virtual file system is refused, and at once', () => {
  expect(refusal('/proc/pinpad/data')).toMatch(/^cannot keep data in the folder \/proc\/pinpad\/data: /);
  expect(refusal('/proc')).toMatch(/^cannot keep data in the folder \/proc: /);
});
