import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { describeFileFault } from '../../shared/file-fault.ts';

/**
 * Writes a file, and its folder if there is none, and returns whether that succeeded. A failure is printed and sets the
 * exit code, but it throws no error, so that the other reports are still written.
 */
export function tryWriteReport(file: string, text: string): boolean {
  try {
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, text);
    return true;
  } catch (error) {
    console.error(`pinpad: cannot write ${file}: ${describeFileFault(error)}`);
    process.exitCode = 2;
    return false;
  }
}
