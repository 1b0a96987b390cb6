import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';

const root = join(import.meta.dirname, '..');
const lookAgainMs = 50;

/**
 * Returns the folder of the package as users install it. In a test run, the first test that calls this builds the
 * package for all others.
 */
export function buildPackageOnce(): string {
  const folder = process.env.PINPAD_BUILT;
  if (folder === undefined) throw new Error('only Vitest runs built-package.setup.ts');
  const built = join(folder, 'pinpad');
  if (!existsSync(built)) make(folder, built);
  return built;
}

/**
 * Returns the `pinpad` command for tests that start it. Under Vitest this command runs the built bundle, because the
 * bundle starts in half the time. Without Vitest it runs the sources.
 */
export function pinpadCommand(): string {
  return join(process.env.PINPAD_BUILT === undefined ? root : buildPackageOnce(), 'bin/pinpad.js');
}

/**
 * Builds the package, or waits until another worker has built it. The wait blocks the worker. That does no harm,
 * because no test can begin without the package.
 */
function make(folder: string, built: string): void {
  const making = join(folder, 'making');
  while (!existsSync(built))
    if (!begin(making)) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, lookAgainMs);
    else if (existsSync(built)) rmSync(making, { recursive: true });
    else
      try {
        execFileSync(process.execPath, [join(root, 'scripts/unpacked.ts'), making]);
        renameSync(making, built);
      } catch (error) {
        // The folder is removed, so that the next worker can try to build the package.
        rmSync(making, { recursive: true, force: true });
        throw error;
      }
}

/** Tries to make the folder, and returns whether this worker made it. Only one worker can make the folder. */
function begin(making: string): boolean {
  try {
    mkdirSync(making);
    return true;
  } catch {
    return false;
  }
}
