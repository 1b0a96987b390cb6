import { chmodSync, existsSync, realpathSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { cannotWrite } from './file-fault.ts';

/**
 * Writes a file in place of the one that was there, with its mode: all of it or nothing, whatever ends the process. A link
 * stays, and what it leads to is replaced.
 *
 * @throws StartError naming the file and why it cannot be written
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
    throw cannotWrite(file, error);
  }
}
