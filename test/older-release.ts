import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { findProgram } from './find-program.ts';
import { NodeProcess } from './node-process.ts';

const root = join(import.meta.dirname, '..');

/** The oldest code whose gateways run beside this one's on a database (docs/decisions/0022). */
const olderRelease = '627d27e';

/**
 * Whether the older code can be had: in a clone, from its history. Without it the tests beside it are skipped loudly; with
 * PINPAD_REQUIRE_OPTIONAL=1 (CI) they run and fail.
 */
export function hasOlderRelease(): boolean {
  if (process.env.PINPAD_REQUIRE_OPTIONAL === '1' || isInHistory()) return true;
  console.warn(
    `SKIPPED, NOT PROVEN HERE: ${olderRelease} is not in the history of this clone (git fetch --unshallow)`,
  );
  return false;
}

/** A folder with the sources of the older code, which use the dependencies installed here; gone after the test. */
function olderSources(): string {
  const folder = mkdtempSync(join(tmpdir(), 'pinpad-older-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const archive = execFileSync('git', ['archive', olderRelease], { cwd: root, maxBuffer: 256 * 1024 * 1024 });
  execFileSync('tar', ['-x', '-C', folder], { input: archive });
  symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'));
  return folder;
}

/** What a file of the older code said. */
export function olderFile(path: string): string {
  return execFileSync('git', ['show', `${olderRelease}:${path}`], { cwd: root, encoding: 'utf8' });
}

/** A gateway of the older code in a process of its own; it is ended after the test. */
export function olderGateway(args: readonly string[]): Promise<{ url: string }> {
  return olderProcess(['gateway', '--port', '0', ...args]);
}

/** Terminals of the older code, the same way. */
export function olderTerminals(args: readonly string[]): Promise<{ terminals: { poiId: string }[] }> {
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
