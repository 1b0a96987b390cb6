import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { findProgram } from './find-program.ts';
import { NodeProcess } from './node-process.ts';

const root = join(import.meta.dirname, '..');

/**
 * The commit of the oldest release whose gateways can share a database with gateways of this release
 * (docs/decisions/0022).
 */
const olderRelease = '627d27e';

/**
 * Whether this clone's history has the older code. If not, the tests that need that code are skipped, and a warning is
 * printed. With PINPAD_REQUIRE_OPTIONAL=1 (CI), these tests run and fail.
 */
export function hasOlderRelease(): boolean {
  if (process.env.PINPAD_REQUIRE_OPTIONAL === '1' || isInHistory()) return true;
  console.warn(
    `SKIPPED, NOT PROVEN HERE: ${olderRelease} is not in the history of this clone (git fetch --unshallow)`,
  );
  return false;
}

/**
 * Makes a folder with the older sources. They use the dependencies that are installed here. The folder is removed
 * after the test.
 */
function olderSources(): string {
  const folder = mkdtempSync(join(tmpdir(), 'pinpad-older-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const archive = execFileSync('git', ['archive', olderRelease], { cwd: root, maxBuffer: 256 * 1024 * 1024 });
  execFileSync('tar', ['-x', '-C', folder], { input: archive });
  symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'));
  return folder;
}

/** Returns a file of the older code. */
export function olderFile(path: string): string {
  return execFileSync('git', ['show', `${olderRelease}:${path}`], { cwd: root, encoding: 'utf8' });
}

/** Starts a gateway of the older code in a process of its own, which is ended after the test. */
export function startOlderGateway(args: readonly string[]): Promise<{ url: string }> {
  return olderProcess(['gateway', '--port', '0', ...args]);
}

/** Starts terminals of the older code in a process of their own, which is ended after the test. */
export function startOlderTerminals(args: readonly string[]): Promise<{ terminals: { poiId: string }[] }> {
  return olderProcess(['terminal', ...args]);
}

async function olderProcess<Ready>(args: readonly string[]): Promise<Ready> {
  const folder = olderSources();
  const data = ['--data', join(folder, 'data'), '--json'];
  const started = await NodeProcess.start<Ready>(join(folder, 'bin/pinpad.js'), [...args, ...data]);
  onTestFinished(() => started.kill());
  return started.ready;
}

function isInHistory(): boolean {
  if (!findProgram('git')) return false;
  try {
    execFileSync('git', ['cat-file', '-e', `${olderRelease}^{commit}`], { cwd: root, stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}
