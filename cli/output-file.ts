import { accessSync, constants, mkdirSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join, resolve, sep } from 'node:path';
import { cannotWriteError, fileFaultReason } from '../shared/file-fault.ts';
import { StartError } from '../shared/start-error.ts';

/**
 * Checks at the start that a file can be written at the end, and makes its folder.
 *
 * @throws StartError naming the file and why not
 */
export function checkWritable(file: string): void {
  try {
    makeFolder(dirname(resolve(file)));
    const stats = statSync(file, { throwIfNoEntry: false });
    if (stats?.isDirectory() || file.endsWith('/') || file.endsWith(sep)) throw new Error('it is a folder');
    accessSync(stats ? file : dirname(file), constants.W_OK);
  } catch (error) {
    throw cannotWriteError(file, error);
  }
}

/**
 * Makes a folder and those above it, one by one. The recursive form of mkdirSync never ends where the system makes no
 * folders, as below /proc.
 */
function makeFolder(folder: string): void {
  if (statSync(folder, { throwIfNoEntry: false })?.isDirectory()) return;
  makeFolder(dirname(folder));
  mkdirSync(folder);
}

/** The place at which a file was written, and the problem if that is not the intended place. */
interface Written {
  readonly at: string;
  readonly problem?: string;
}

/**
 * Writes a text that cannot be made again. If `file` cannot be written after all (a full disk, a folder that is gone),
 * the text goes to the temporary folder.
 *
 * @throws StartError if the temporary folder cannot be written either
 */
export function writeWithFallback(file: string, text: string, options: { flag?: 'w' | 'wx' } = {}): Written {
  try {
    writeFileSync(file, text, options);
    return { at: file };
  } catch (error) {
    const at = join(tmpdir(), `${process.pid}-${basename(file)}`);
    const problem = `cannot write ${file}: ${fileFaultReason(error)}`;
    try {
      writeFileSync(at, text, { flag: 'wx', mode: 0o600 });
    } catch (second) {
      throw new StartError(`${problem}; cannot write ${at}: ${fileFaultReason(second)}`);
    }
    return { at, problem };
  }
}
