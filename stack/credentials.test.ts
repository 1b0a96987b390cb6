import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, onTestFinished, test } from 'vitest';
import { lockSqlite } from '../shared/database/sqlite-connection.ts';
import { systemRandom } from '../shared/random.ts';
import { CredentialStore, readDeviceKeys } from './credentials.ts';
import { StartError } from './start-error.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'pinpad-credentials-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

test('a secret is made once, and kept privately for its owner', () => {
  const first = new CredentialStore(folder, systemRandom);
  const key = first.secret('terminal V400m-1', 'dev_');
  first.save();
  expect(new CredentialStore(folder, systemRandom).secret('terminal V400m-1', 'dev_')).toBe(key);
  expect(readDeviceKeys(folder).terminal('V400m-1')).toBe(key);
  expect(statSync(join(folder, 'credentials.json')).mode & 0o777).toBe(0o600);
});

test.each([
  ['cut off', '{"token demo-shop sandbox 0":"test_'],
  ['null', 'null'],
  ['a list', '[]'],
  ['a text', '"test_"'],
  ['with a number for a secret', '{"control":5}'],
])('a damaged file (%s) is not replaced, because its tokens are in use', (_name, text) => {
  writeFileSync(join(folder, 'credentials.json'), text);
  expect(() => new CredentialStore(folder, systemRandom)).toThrow(StartError);
  expect(() => new CredentialStore(folder, systemRandom)).toThrow('credentials.json cannot be read');
});

test('secrets that two processes write into one folder are all kept', () => {
  const [one, two] = [new CredentialStore(folder, systemRandom), new CredentialStore(folder, systemRandom)];
  const key = one.secret('terminal V400m-1', 'dev_');
  one.save();
  const token = two.secret('token shop sandbox 0', 'test_');
  two.save();
  const kept = new CredentialStore(folder, systemRandom);
  expect([kept.secret('terminal V400m-1', 'dev_'), kept.secret('token shop sandbox 0', 'test_')]).toEqual([
    key,
    token,
  ]);
});

test('new keys of terminals are on disk at once, and another process that began earlier uses the same', () => {
  const [one, two] = [new CredentialStore(folder, systemRandom), new CredentialStore(folder, systemRandom)];
  const keys = one.madeKeys(2, systemRandom);
  expect(two.madeKeys(3, systemRandom).slice(0, 2)).toEqual(keys);
  expect(readFileSync(join(folder, 'credentials.json'), 'utf8')).toContain(keys[1]);
});

test('a start that makes no secret writes no file', () => {
  new CredentialStore(folder, systemRandom).save();
  expect(readdirSync(folder)).toEqual([]);
});

test('a start waits a second for a process that is stuck in writing, and then reports it', () => {
  const release = lockSqlite(join(folder, 'credentials.json'));
  onTestFinished(release);
  expect(() => new CredentialStore(folder, systemRandom).madeKeys(1, systemRandom)).toThrow(
    `another process is writing ${join(folder, 'credentials.json')} and does not finish: end that process first`,
  );
});
