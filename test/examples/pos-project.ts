import { execFile } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { buildPackageOnce } from '../built-package.ts';

const root = join(import.meta.dirname, '../..');

/**
 * Makes a project of its own from the example POS. In it, pinpad is installed as users install it. The caller removes
 * the folder.
 */
export function makePosProject(): string {
  const folder = mkdtempSync(join(tmpdir(), 'pos-'));
  for (const part of ['src', 'test', 'package.json'])
    cpSync(join(root, 'examples/pos', part), join(folder, part), { recursive: true });
  mkdirSync(join(folder, 'node_modules'));
  for (const name of ['express', 'vitest'])
    symlinkSync(join(root, 'node_modules', name), join(folder, 'node_modules', name));
  // The package is copied and not linked. If it were linked, Vitest would treat it as a part of the project and
  // transform it.
  cpSync(buildPackageOnce(), join(folder, 'node_modules/pinpad'), { recursive: true });
  return folder;
}

/** Runs a project's tests with Vitest, and resolves to the output. */
export async function vitestIn(
  project: string,
  { only = '', env = {} }: { only?: string; env?: Record<string, string> } = {},
): Promise<{ passed: boolean; output: string }> {
  const vitest = join(root, 'node_modules/vitest/vitest.mjs');
  const args = [vitest, 'run', '--root', project, '--testTimeout', '30000', '-t', only];
  try {
    const { stdout } = await promisify(execFile)(process.execPath, args, {
      cwd: project,
      env: { ...process.env, NO_COLOR: '1', VITEST: undefined, NODE_ENV: undefined, ...env },
      maxBuffer: 10_000_000,
    });
    return { passed: true, output: stdout };
  } catch (error) {
    const { stdout = '', stderr = '' } = error as { stdout?: string; stderr?: string };
    return { passed: false, output: stdout + stderr };
  }
}
