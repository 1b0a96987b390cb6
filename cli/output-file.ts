import { accessSync, constants, mkdirSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join, resolve, sep } from 'node:path';
import { describeFileFault, makeCannotWriteError } from '../shared/file-fault.ts';
import { StartError } from '../shared/start-error.ts';

/**
 * Checks that a file can be written, so that a command fails at its start and not at its end. Makes the file's folder.
 *
 * @throws StartError with the file and the reason if the file cannot be written
 */
export function prepareOutputFile(file: string): void {
  try {
    makeFolder(dirname(resolve(file)));
    const stats = statSync(file, { throwIfNoEntry: false });
    if (stats?.isDirectory() || file.endsWith('/') || file.endsWith(sep)) throw new Error('it is a folder');
    accessSync(stats ? file : dirname(file), constants.W_OK);
  } catch (error) {
    throw makeCannotWriteError(file, error);
  }
}

/**
 * Makes a folder and all missing folders above it, one by one. The `recursive` option of mkdirSync is not used, because
 * with it the call never returns in places where the system makes no folders, such as /proc.
 */
function makeFolder(folder: string): void {
  if (statSync(folder, { throwIfNoEntry: false })?.isDirectory()) return;
  makeFolder(dirname(folder));
  mkdirSync(folder);
}

/** The place at which a file was written, and the reason if this is not the place that the user named. */
interface Written {
  readonly at: string;
  readonly problem?: string;
}

/**
 * Writes a text that pinpad could not make a second time. If `file` cannot be written (the disk is full, or the folder
 * no longer exists), writes the text into the temporary folder instead.
 *
 * @throws StartError if the temporary folder cannot be written either
 */
export function writeWithFallback(file: string, text: string, options: { flag?: 'w' | 'wx' } = {}): Written {
  try {
    writeFileSync(file, text, options);
    return { at: file };
  } catch (error) {
    const at = join(tmpdir(), `${process.pid}-${basename(file)}`);
    const problem = `cannot write ${file}: ${describeFileFault(error)}`;
    try {
      writeFileSync(at, text, { flag: 'wx', mode: 0o600 });
    } catch (second) {
      throw new StartError(`${problem}; cannot write ${at}: ${describeFileFault(second)}`);
    }
    return { at, problem };
  }
}
