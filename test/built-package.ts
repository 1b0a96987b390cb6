import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';

const root = join(import.meta.dirname, '..');

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

function make(folder: string, built: string): void {
  const making = mkdtempSync(join(folder, 'making-'));
  execFileSync(process.execPath, [join(root, 'scripts/unpacked.ts'), making]);
  try {
    renameSync(making, built);
  } catch {
    rmSync(making, { recursive: true }); // another worker was faster
  }
}
