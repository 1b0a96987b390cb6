import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';

const root = join(import.meta.dirname, '..');
const lookAgainMs = 50;

/** The package as it is installed, in a folder: the first test that asks makes it, for all tests of a run. */
export function builtPackage(): string {
  const folder = process.env.PINPAD_BUILT;
  if (folder === undefined) throw new Error('only Vitest runs built-package.setup.ts');
  const built = join(folder, 'pinpad');
  if (!existsSync(built)) make(folder, built);
  return built;
}

/**
 * The `pinpad` command for tests that start it: the bundle, since it starts in half the time that the sources take;
 * outside of Vitest the sources.
 */
export function pinpadCommand(): string {
  return join(process.env.PINPAD_BUILT === undefined ? root : builtPackage(), 'bin/pinpad.js');
}

/** Makes it, or waits until the worker that began before has: nothing can be tested until then. */
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
        rmSync(making, { recursive: true, force: true }); // the next may try
        throw error;
      }
}

/** Only one worker can make the folder. */
function begin(making: string): boolean {
  try {
    mkdirSync(making);
    return true;
  } catch {
    return false;
  }
}
