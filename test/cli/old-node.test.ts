import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { expect, onTestFinished, test } from 'vitest';
import { buildPackageOnce, pinpadCommand } from '../built-package.ts';
import { sampleCases } from '../draws.ts';
import { testThoroughly } from '../optional-programs.ts';

const testInCi = testThoroughly();

/**
 * Runs programs under a Node that is too old for pinpad. Each program says that the Node is too old, before it loads
 * anything that this Node cannot read.
 */

const olderNode = `data:text/javascript,${encodeURIComponent(
  "Object.defineProperty(process, 'versions', { value: { ...process.versions, node: '20.20.2' } });",
)}`;

function runOnOlderNode(command: string, ...args: string[]) {
  return spawnSync(process.execPath, ['--import', olderNode, command, ...args], { encoding: 'utf8' });
}

test('a clone runs on the Node that was fetched for it, and ends when that ends', () => {
  const { status, stdout, stderr } = runOnOlderNode(cloneWithNode(), 'bin', '4761');
  expect({ status, stdout }).toEqual({ status: 2, stdout: '' });
  expect(stderr).toContain("unknown command 'bin'");
});

testInCi.each(sampleCases(['SIGINT', 'SIGTERM', 'SIGHUP'] as const, 3))(
  '%s sent to that process ends the gateway on the other Node',
  async (signal) => {
    const args = [
      '--import',
      olderNode,
      cloneWithNode(),
      'up',
      '--headless',
      '--json',
      '--memory',
      '--port',
      '0',
    ];
    const wrapper = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
    onTestFinished(() => void wrapper.kill());
    const [line] = (await once(createInterface(wrapper.stdout), 'line')) as [string];
    const { pid } = JSON.parse(line) as { pid: number };
    expect(pid).not.toBe(wrapper.pid);
    wrapper.kill(signal);
    expect(await once(wrapper, 'exit')).toEqual([0, null]);
    expect(() => process.kill(pid, 0)).toThrow('ESRCH');
  },
);

test('a clone without a fetched Node says in one line which to install or how to fetch it', () => {
  const command = cloneWithNode();
  rmSync(join(dirname(command), '../node_modules'), { recursive: true });
  const { status, stderr } = runOnOlderNode(command, 'up');
  expect(status).toBe(2);
  expect(stderr).toMatch(
    /^pinpad needs Node 22\.18 [^\n]*Install Node 24[^\n]*node scripts\/fetch-node\.js[^\n]*\n$/,
  );
});

test('an installed package says which Node it needs, in one line', () => {
  const { status, stderr } = runOnOlderNode(pinpadCommand(), 'up');
  expect(status).toBe(2);
  expect(stderr).toBe('pinpad needs Node 22.18 or newer; this is Node 20.20.2.\n');
});

/**
 * Makes a clone of these sources. In the clone, `node_modules/.bin/node` is a link to the running Node. In a real
 * clone, scripts/fetch-node.js puts a Node at this path.
 */
function cloneWithNode(): string {
  const clone = mkdtempSync(join(tmpdir(), 'pinpad-old-clone-'));
  onTestFinished(() => rmSync(clone, { recursive: true }));
  mkdirSync(join(clone, 'node_modules/.bin'), { recursive: true });
  symlinkSync(process.execPath, join(clone, 'node_modules/.bin/node'));
  for (const part of ['bin', 'package.json']) cpSync(part, join(clone, part), { recursive: true });
  symlinkSync(resolve('cli'), join(clone, 'cli'));
  return join(clone, 'bin/pinpad.js');
}

const realOlderNode = findOlderNode();

testThoroughly(realOlderNode ?? 'a Node older than 22.18')(
  'a project on an older Node is told so by whatever it imports, instead of what that Node lacks',
  () => {
    const project = mkdtempSync(join(tmpdir(), 'pinpad-older-node-'));
    onTestFinished(() => rmSync(project, { recursive: true }));
    mkdirSync(join(project, 'node_modules'));
    symlinkSync(buildPackageOnce(), join(project, 'node_modules/pinpad'));
    const told = ['testing', 'testing/vitest', 'client'].map((entry) => {
      const program = `import('pinpad/${entry}').then(() => console.log('loaded'), ({ message }) => console.log(message));`;
      const args = ['--input-type=module', '-e', program];
      return spawnSync(realOlderNode as string, args, { cwd: project, encoding: 'utf8' }).stdout.trim();
    });
    const tooOld = expect.stringMatching(/^pinpad needs Node 22\.18 or newer; this is Node \d+\.\d+\.\d+$/);
    // The last of the three programs loads the client, which needs nothing of Node except fetch.
    expect(told).toEqual([tooOld, tooOld, 'loaded']);
  },
);

/**
 * Finds a Node on this machine that is too old for pinpad. Searches all folders of the PATH, because npm puts the
 * clone's own Node first in the PATH.
 */
function findOlderNode(): string | undefined {
  const candidates = (process.env.PATH ?? '').split(delimiter).map((folder) => join(folder, 'node'));
  return candidates.find((node) => {
    const { stdout } = spawnSync(node, ['-p', 'process.versions.node'], { encoding: 'utf8' });
    const [major = 0, minor = 0] = (stdout ?? '').split('.').map(Number);
    return major > 0 && (major < 22 || (major === 22 && minor < 18));
  });
}

test('a clone without its development dependencies says what is missing', () => {
  const clone = mkdtempSync(join(tmpdir(), 'pinpad-production-'));
  onTestFinished(() => rmSync(clone, { recursive: true }));
  cpSync('scripts', join(clone, 'scripts'), { recursive: true });
  mkdirSync(join(clone, 'node_modules'));
  writeFileSync(join(clone, 'package.json'), '{"type":"module"}');
  const { scripts } = JSON.parse(readFileSync('package.json', 'utf8')) as { scripts: { prepare: string } };
  const [, file = ''] = scripts.prepare.split(' ');
  const { status, stderr } = spawnSync(process.execPath, [file], { cwd: clone, encoding: 'utf8' });
  expect(stderr).toMatch(/^pinpad: [^\n]*runs from its sources[^\n]*npm ci --include=dev installs[^\n]*\n$/);
  expect(status).toBe(0);
});
