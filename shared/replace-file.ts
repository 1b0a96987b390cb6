import { chmodSync, existsSync, realpathSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { makeCannotWriteError } from './file-fault.ts';

/**
 * Replaces a file and keeps its mode. The new text is written completely or not at all, even if the process is killed
 * meanwhile. If the path is a link, the link stays, and its target is replaced.
 * @throws StartError that names the file and says why the file cannot be written
 */
export function replaceFile(file: string, text: string): void {
  const there = existsSync(file);
  const target = there ? realpathSync(file) : file;
  const temporary = `${target}.new`;
  try {
    writeFileSync(temporary, text);
    if (there) chmodSync(temporary, statSync(target).mode);
    renameSync(temporary, target);
  } catch (error) {
    if (statSync(temporary, { throwIfNoEntry: false })?.isFile()) rmSync(temporary);
    throw makeCannotWriteError(file, error);
  }
}
