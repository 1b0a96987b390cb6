import { execFileSync, spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { expect, onTestFinished, test } from 'vitest';
import { testThoroughly } from '../test/optional-programs.ts';

const testInCi = testThoroughly();

const version = '24.1.2';
const name = 'node-of-a-test';
const asOlder = `data:text/javascript,${encodeURIComponent(
  "Object.defineProperty(process, 'versions', { value: { ...process.versions, node: '20.20.2' } });",
)}`;

test('npm fetches the Node with the committed integrity, to where npm and npx find it', async () => {
  const { clone, fetchNode } = await setup();
  expect(await fetchNode()).toEqual({ code: 0, said: '' });
  const node = join(clone, 'node_modules/.bin/node');
  expect(execFileSync(node, { encoding: 'utf8' }).trim()).toBe(`v${version}`);
});

testInCi('a package with another integrity is refused in one line, and nothing of it stays', async () => {
  const { clone, fetchNode } = await setup({ integrity: integrityOf(Buffer.from('another')) });
  expect(await fetchNode()).toEqual({ code: 2, said: expect.stringMatching(oneLine('EINTEGRITY')) });
  expect(readdirSync(join(clone, 'node_modules'))).toEqual(['.bin']);
  expect(existsSync(join(clone, 'node_modules/.bin/node'))).toBe(false);
});

testInCi('without a network one line names the Node to install', async () => {
  const { fetchNode } = await setup({ isUp: false });
  expect(await fetchNode()).toEqual({ code: 2, said: expect.stringMatching(oneLine('ECONNREFUSED')) });
});

test('a machine for which npm has no Node is told which to install', async () => {
  const { fetchNode } = await setup({ platform: 'another' });
  expect(await fetchNode()).toEqual({ code: 2, said: expect.stringMatching(oneLine('npm has no Node')) });
});

test('nothing is fetched if Node is new enough', async () => {
  const { clone, fetchNode } = await setup({ isUp: false });
  expect(await fetchNode({ asOlder: false })).toEqual({ code: 0, said: '' });
  expect(existsSync(join(clone, 'node_modules'))).toBe(false);
});

test('the tests of a clone do not start on an older Node', async () => {
  const { fetchNode } = await setup();
  const { scripts } = JSON.parse(readFileSync('package.json', 'utf8')) as { scripts: { test: string } };
  expect(scripts.test).toMatch(/^node scripts\/fetch-node\.js --check && /);
  expect(await fetchNode({ options: ['--check'] })).toEqual({
    code: 2,
    said: expect.stringMatching(oneLine('node scripts/fetch-node.js')),
  });
});

function oneLine(why: string): RegExp {
  return new RegExp(`^pinpad needs Node 22\\.18 [^\n]*: install Node 24 [^\n]*${why}[^\n]*\n$`);
}

interface Setting {
  readonly integrity?: string;
  readonly isUp?: boolean;
  readonly platform?: string;
}

/**
 * Makes a clone whose own-node.json names a package. A registry on this machine has the package. The program in the
 * package prints the package's version.
 */
async function setup({ integrity, isUp = true, platform }: Setting = {}) {
  const folder = mkdtempSync(join(tmpdir(), 'pinpad-fetch-node-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const tarball = pack(folder);
  const registry = await serve(tarball);
  if (!isUp) await registry.close();
  const clone = join(folder, 'clone');
  mkdirSync(join(clone, 'scripts'), { recursive: true });
  writeFileSync(join(clone, 'package.json'), '{"type":"module"}');
  cpSync('scripts/fetch-node.js', join(clone, 'scripts/fetch-node.js'));
  const packages = {
    [platform ?? `${process.platform}-${process.arch}`]: {
      name,
      integrity: integrity ?? integrityOf(tarball),
    },
  };
  writeFileSync(join(clone, 'scripts/own-node.json'), JSON.stringify({ version, packages }));
  const env = {
    ...process.env,
    NODE_OPTIONS: '',
    npm_config_registry: registry.url,
    npm_config_cache: join(folder, 'cache'),
    npm_config_fetch_retries: '0',
  };
  const fetchNode = async ({ asOlder: isOlder = true, options = [] as string[] } = {}) => {
    const args = [...(isOlder ? ['--import', asOlder] : []), 'scripts/fetch-node.js', ...options];
    const child = spawn(process.execPath, args, { cwd: clone, env, stdio: ['ignore', 'ignore', 'pipe'] });
    const [said, [code]] = await Promise.all([text(child.stderr), once(child, 'exit')]);
    return { code: code as number, said };
  };
  return { clone, fetchNode };
}

function pack(folder: string): Buffer {
  const place = join(folder, 'package');
  mkdirSync(join(place, 'bin'), { recursive: true });
  writeFileSync(join(place, 'package.json'), JSON.stringify({ name, version }));
  writeFileSync(join(place, 'bin/node'), `#!/bin/sh\necho v${version}\n`, { mode: 0o755 });
  execFileSync('tar', ['-czf', 'package.tgz', 'package'], { cwd: folder });
  return readFileSync(join(folder, 'package.tgz'));
}

async function serve(tarball: Buffer) {
  const server = createServer(({ url }, response) => {
    if (url?.endsWith('.tgz')) return void response.end(tarball);
    const dist = { tarball: `${addressOf()}/${name}.tgz`, integrity: integrityOf(tarball) };
    response.setHeader('content-type', 'application/json');
    response.end(JSON.stringify({ name, 'dist-tags': {}, versions: { [version]: { name, version, dist } } }));
  });
  const addressOf = () => `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const close = async () => {
    server.closeAllConnections();
    if (server.listening) await once(server.close(), 'close');
  };
  onTestFinished(close);
  return { url: addressOf(), close };
}

function integrityOf(tarball: Buffer): string {
  return `sha512-${createHash('sha512').update(tarball).digest('base64')}`;
}

test.each([
  ['20.19.0', false],
  ['22.17.1', false],
  ['22.18.0', true],
  ['23.5.0', false],
  ['23.6.0', true],
  ['24.0.0', true],
])('Node %s strips types by itself: %s', async (version, strips) => {
  const { href } = new URL('./fetch-node.js', import.meta.url);
  const { isNewEnough } = await import(href);
  expect(isNewEnough(version)).toBe(strips);
});
