import { mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { systemRandom } from '../shared/random.ts';
import { Credentials, readCredentials } from './credentials.ts';
import { StartError } from './start-error.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'pinpad-credentials-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

test('a secret is made once, and kept for its owner alone', () => {
  const first = new Credentials(folder, systemRandom);
  const key = first.secret('terminal V400m-1', 'dev_');
  first.save();
  expect(new Credentials(folder, systemRandom).secret('terminal V400m-1', 'dev_')).toBe(key);
  expect(readCredentials(folder).terminal('V400m-1')).toBe(key);
  expect(statSync(join(folder, 'credentials.json')).mode & 0o777).toBe(0o600);
});

test.each([
  ['cut off', '{"token demo-shop sandbox 0":"test_'],
  ['null', 'null'],
  ['a list', '[]'],
  ['a text', '"test_"'],
  ['with a number for a secret', '{"control":5}'],
])('a damaged file (%s) is not replaced: its tokens are in use', (_name, text) => {
  writeFileSync(join(folder, 'credentials.json'), text);
  expect(() => new Credentials(folder, systemRandom)).toThrow(StartError);
  expect(() => new Credentials(folder, systemRandom)).toThrow('credentials.json cannot be read');
});
