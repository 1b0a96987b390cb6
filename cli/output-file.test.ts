import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { StartError } from '../shared/start-error.ts';
import { prepareOutputFile, writeWithFallback } from './output-file.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'pinpad-output-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

test('a check makes the folder of a file, and not the file', () => {
  const file = join(folder, 'new/one/scenario.yaml');
  prepareOutputFile(file);
  expect(existsSync(join(folder, 'new/one'))).toBe(true);
  expect(existsSync(file)).toBe(false);
});

test('a file that can never be written is refused at once, by name', () => {
  writeFileSync(join(folder, 'file'), '');
  mkdirSync(join(folder, 'scenario.yaml'));
  const refused = (path: string, why: string) => {
    expect(() => prepareOutputFile(join(folder, path))).toThrow(StartError);
    expect(() => prepareOutputFile(join(folder, path))).toThrow(`cannot write ${join(folder, path)}: ${why}`);
  };
  refused('file/scenario.yaml', 'a part of its path is a file');
  refused('scenario.yaml', 'it is a folder');
  refused('new/', 'it is a folder');
});

test.runIf(existsSync('/proc/self'))('the check also ends on a system that makes no folders', () => {
  expect(() => prepareOutputFile('/proc/nowhere/scenario.yaml')).toThrow(
    'cannot write /proc/nowhere/scenario.yaml: ',
  );
});

test('output that cannot be written to its place is written elsewhere, and that place is named', () => {
  const file = join(folder, `scenario-${process.pid}.yaml`);
  expect(writeWithFallback(file, 'one')).toEqual({ at: file });
  const gone = join(folder, 'gone', `scenario-${process.pid}.yaml`);
  const { at, problem } = writeWithFallback(gone, 'two');
  expect(problem).toBe(`cannot write ${gone}: there is no such file or folder`);
  expect(at).not.toBe(gone);
  expect(readFileSync(at, 'utf8')).toBe('two');
  rmSync(at);
});
