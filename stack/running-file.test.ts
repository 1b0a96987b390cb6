import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { readRunningNote, removeRunningNote, writeRunningNote } from './running-file.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'pinpad-running-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

const running = {
  url: 'http://127.0.0.1:8080',
  pid: process.pid,
  controlToken: 'control_x',
  token: 'test_x',
  terminals: [{ poiId: 'V400m-1', identifier: 'a' }],
};

test('a running gateway is found until it is gone', () => {
  writeRunningNote(folder, running);
  expect(readRunningNote(folder)).toEqual(running);
  removeRunningNote(folder);
  expect(existsSync(join(folder, 'running.json'))).toBe(false);
  expect(readRunningNote(folder)).toBeUndefined();
});

test.each([
  ['cut off', '{"url":'],
  ['null', 'null'],
  ['without terminals', JSON.stringify({ ...running, terminals: undefined })],
  ['with a text for terminals', JSON.stringify({ ...running, terminals: 'x' })],
  ['with a terminal that is none', JSON.stringify({ ...running, terminals: [null] })],
  ['with the process 0, which is the own process group', JSON.stringify({ ...running, pid: 0 })],
  ['with a negative process, which is a process group', JSON.stringify({ ...running, pid: -1 })],
  ['without an address', JSON.stringify({ ...running, url: 1 })],
])('a file that is %s does not name a gateway', (_name, text) => {
  writeFileSync(join(folder, 'running.json'), text);
  expect(readRunningNote(folder)).toBeUndefined();
});
