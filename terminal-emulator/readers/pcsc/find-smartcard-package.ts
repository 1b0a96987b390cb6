import { createRequire } from 'node:module';
import { join } from 'node:path';
import { ReaderOpenError } from '../reader-driver.ts';

const needs = 'on Linux, compiling needs g++, make and libpcsclite-dev';

/**
 * Finds the npm package `smartcard` beside pinpad or in the current folder. Users install the package themselves: it
 * compiles a native addon, which most users do not need (docs/decisions/0012).
 *
 * @throws ReaderOpenError that says what to install
 */
export function findSmartcardPackage(
  places: readonly string[] = [import.meta.url, join(process.cwd(), 'package.json')],
): string {
  for (const place of places) {
    try {
      return createRequire(place).resolve('smartcard');
    } catch {
      // The package is not here, so the next folder is tried.
    }
  }
  throw new ReaderOpenError(
    'FAILED',
    `PC/SC readers need the package smartcard: run npm install smartcard (${needs}, and the readers need the service pcscd)`,
  );
}

/** Says why an installed package cannot be loaded. `code` is the code of Node's error. */
export function makeSmartcardLoadError(code: string | undefined, why: string): ReaderOpenError {
  const [reason] = why.split('\n');
  // npm can install the package without compiling its addon, and a user can easily overlook npm's message about that.
  if (code === 'MODULE_NOT_FOUND')
    return new ReaderOpenError(
      'FAILED',
      `the package smartcard is installed, but not compiled: run npm rebuild smartcard (${needs})`,
    );
  if (code === 'ERR_DLOPEN_FAILED' && why.includes('libpcsclite'))
    return new ReaderOpenError(
      'FAILED',
      `the package smartcard finds no PC/SC library (${reason}): run apt-get install libpcsclite1`,
    );
  return new ReaderOpenError(
    'FAILED',
    `the package smartcard cannot be loaded (${reason}); compile it again: npm rebuild smartcard (${needs})`,
  );
}
