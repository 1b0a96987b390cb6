import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, onTestFinished, test } from 'vitest';
import { testThoroughly } from '../optional-programs.ts';
import { refusedUpgrade } from '../refused-upgrade.ts';
import { PinpadProcess } from './pinpad-process.ts';
import { runPinpadInProcess } from './run-pinpad-in-process.ts';

const testInCi = testThoroughly();

/** The data folder contains webhook secrets and the terminals' memory, so only its owner may read it (B124). */

let data: string;
beforeEach(() => {
  data = join(mkdtempSync(join(tmpdir(), 'pinpad-private-')), 'data');
});
afterEach(() => rmSync(join(data, '..'), { recursive: true }));

const modeOf = (path: string) => (statSync(path).mode & 0o777).toString(8);
const modes = () => Object.fromEntries(readdirSync(data).map((name) => [name, modeOf(join(data, name))]));
const everyFile = {
  'credentials.json': '600',
  'pinpad.sqlite': '600',
  'pinpad.sqlite-wal': '600',
  'running.json': '600',
  'terminals.sqlite': '600',
  'terminals.sqlite-wal': '600',
};

function up(...more: string[]): PinpadProcess {
  const process = new PinpadProcess(['up', '--json', '--port', '0', '--data', data, ...more]);
  onTestFinished(() => void process.child.kill('SIGKILL'));
  return process;
}

test('everything in a new data folder is private to its owner, and running.json is removed at the end', async () => {
  const process = up();
  await process.ready();
  expect(modeOf(data)).toBe('700');
  expect(modes()).toMatchObject(everyFile);
  expect(Object.values(modes()).every((mode) => mode === '600')).toBe(true);
  const { stderr } = await process.stop();
  expect(stderr).toBe('');
  expect(existsSync(join(data, 'running.json'))).toBe(false);
});

test('files that an earlier version left open to others are corrected at the start, with a warning', async () => {
  mkdirSync(data);
  for (const name of ['pinpad.sqlite', 'terminals.sqlite', 'running.json'])
    writeFileSync(join(data, name), '');
  writeFileSync(join(data, 'credentials.json'), '{}');
  for (const name of readdirSync(data)) chmodSync(join(data, name), 0o644);
  chmodSync(data, 0o755);
  const process = up();
  await process.ready();
  expect(modeOf(data)).toBe('700');
  expect(modes()).toMatchObject(everyFile);
  const { stderr } = await process.stop();
  expect(stderr).toContain(`${join(data, 'pinpad.sqlite')} could be read by other users`);
});

test('a gateway that cannot write running.json ends, and says why in one line', async () => {
  mkdirSync(join(data, 'running.json'), { recursive: true });
  const { code, stderr, stdout } = await runPinpadInProcess(['gateway', '--port', '0', '--data', data]);
  expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
  expect(stderr).toMatch(/^pinpad: cannot write .*running\.json: EISDIR/m);
  expect(stderr).not.toContain('    at ');
});

test('a signal that arrives twice, from npm and through the group, does not shorten the shutdown', async () => {
  const process = up();
  await process.ready();
  const ended = process.ended();
  process.child.kill('SIGINT');
  process.child.kill('SIGTERM');
  expect(await ended).toMatchObject({ code: 0, stderr: '' });
  for (const name of ['running.json', 'pinpad.sqlite-wal']) expect(existsSync(join(data, name))).toBe(false);
});

testInCi('running.json is removed even if later signals end the process at once', async () => {
  const config = join(data, '..', 'pinpad.yaml');
  writeFileSync(config, 'timeouts: { lingerMs: 3600000, shutdownMs: 3600000 }');
  const process = up('--config', config);
  const { url } = await process.ready();
  await refusedUpgrade(url);
  const impatient = setInterval(() => process.child.kill('SIGTERM'), 50);
  onTestFinished(() => clearInterval(impatient));
  expect(await process.ended()).toMatchObject({ code: 130 });
  expect(existsSync(join(data, 'running.json'))).toBe(false);
});

test('running.json is removed and the database closed, even if a refused client never closes its end', async () => {
  const config = join(data, '..', 'pinpad.yaml');
  writeFileSync(config, 'timeouts: { lingerMs: 3600000, shutdownMs: 100 }');
  const process = up('--config', config);
  const { url } = await process.ready();
  await refusedUpgrade(url);
  expect(await process.stop()).toMatchObject({ code: 0, stderr: '' });
  expect(existsSync(join(data, 'running.json'))).toBe(false);
  // If an open connection had kept the gateway from ending, the gateway would have been killed, and this file would
  // still exist.
  expect(existsSync(join(data, 'pinpad.sqlite-wal'))).toBe(false);
});
