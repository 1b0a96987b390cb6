import { createRequire } from 'node:module';
import { join } from 'node:path';
import { ReaderOpenError } from '../reader-driver.ts';

const needs = 'on Linux that needs g++, make and libpcsclite-dev';

/**
 * Finds the package `smartcard` beside pinpad or in the current folder. Users install it themselves, because it
 * compiles a native addon that most users do not need (docs/decisions/0012).
 *
 * @throws ReaderOpenError that says what to install
 */
export function findSmartcard(
  places: readonly string[] = [import.meta.url, join(process.cwd(), 'package.json')],
): string {
  for (const place of places) {
    try {
      return createRequire(place).resolve('smartcard');
    } catch {
      // The package may be in the next place.
    }
  }
  throw new ReaderOpenError(
    'FAILED',
    `PC/SC readers need the package smartcard: npm install smartcard (it compiles: ${needs}, and the service pcscd)`,
  );
}

/** Why an installed package cannot be loaded: `code` is that of Node's error. */
export function cannotLoadSmartcard(code: string | undefined, why: string): ReaderOpenError {
  const [reason] = why.split('\n');
  // npm may install without running what compiles, and mentions that only in passing.
  if (code === 'MODULE_NOT_FOUND')
    return new ReaderOpenError(
      'FAILED',
      `the package smartcard is installed, but not compiled: npm rebuild smartcard (${needs})`,
    );
  if (code === 'ERR_DLOPEN_FAILED' && why.includes('libpcsclite'))
    return new ReaderOpenError(
      'FAILED',
      `the package smartcard finds no PC/SC library (${reason}): apt-get install libpcsclite1`,
    );
  return new ReaderOpenError(
    'FAILED',
    `the package smartcard cannot be loaded (${reason}); compile it again: npm rebuild smartcard (${needs})`,
  );
}
