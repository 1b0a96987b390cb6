import {
  chmodSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { cannotKeepData } from './file-fault.ts';
import { StartError } from './start-error.ts';

/**
 * Makes a folder for data where there is none, its parents too, and proves that files can be written in it.
 *
 * Node's own recursive mkdir does not end where a file system has no room for a folder and says that there is no such
 * one, as /proc does; so each is made by itself.
 *
 * What others could read of ours in a folder that was there is corrected, and `warn` is called (B124).
 *
 * @throws StartError with one line that says what is wrong and where, and what to do `instead`
 */
export function openDataFolder(
  folder: string,
  warn: (message: string) => void = () => {},
  instead = 'choose another one with --data, or keep nothing with --memory',
): string {
  try {
    const path = resolve(folder);
    for (const each of missing(path)) make(each, each === path ? 0o700 : 0o777);
    const probe = join(folder, `.writable-${process.pid}`);
    writeFileSync(probe, '');
    rmSync(probe);
    if (hasModes) for (const problem of closeToOthers(folder)) warn(problem);
    return folder;
  } catch (error) {
    const { message } = cannotKeepData(`the folder ${folder}`, error);
    throw new StartError(`${message}; ${instead}`);
  }
}

/** Writes a file that its owner alone can read, in place of the one that was there: all of it or nothing. */
export function writePrivateFile(file: string, text: string): void {
  const temporary = `${file}.new`;
  rmSync(temporary, { force: true }); // one that was there would keep its mode
  writeFileSync(temporary, text, { mode: 0o600, flag: 'wx' });
  renameSync(temporary, file);
}

/** Windows knows other means, and the owner's folders are the owner's there. */
const hasModes = process.platform !== 'win32';
/** Our files in a data folder; it may contain other files too. */
const ours =
  /^(pinpad\.sqlite|terminals\.sqlite(-\d+)?|credentials\.json|adyen-authority(-key)?\.pem|running\.json|gateway)(-wal|-shm|-journal|-lock|\.new)?$/;

/** Corrects the modes of a folder and of what is ours in it; gives a line for each that was wrong. */
function closeToOthers(folder: string): string[] {
  const files = readdirSync(folder)
    .filter((name) => ours.test(name))
    .map((name) => join(folder, name))
    .filter((file) => statSync(file, { throwIfNoEntry: false })?.isFile()); // whatever else is there is not ours
  return [...closed(folder, 0o700), ...files.flatMap((file) => closed(file, 0o600))];
}

function closed(path: string, mode: number): string[] {
  const status = statSync(path, { throwIfNoEntry: false });
  if (!status) return []; // SQLite's files come and go where another process uses the folder, too
  const now = status.mode & 0o777;
  if ((now & ~mode) === 0) return [];
  try {
    chmodSync(path, mode);
    return [
      `${path} could be read by others: its mode was ${now.toString(8)} and is ${mode.toString(8)} now`,
    ];
  } catch (error) {
    return [`${path} can be read by others, and its mode cannot be changed: ${(error as Error).message}`];
  }
}

/** The folders on the way to `folder` that do not exist, the outermost first. */
function missing(folder: string): string[] {
  const status = statSync(folder, { throwIfNoEntry: false });
  if (status?.isDirectory()) return [];
  if (status) throw new Error(`${folder} is a file`);
  const above = missing(dirname(folder));
  if (above.length === 0 && lstatSync(folder, { throwIfNoEntry: false }))
    throw new Error(`${folder} is a link that leads nowhere`);
  return [...above, folder];
}

function make(folder: string, mode: number): void {
  try {
    mkdirSync(folder, { mode });
  } catch (error) {
    // Another process may have been faster.
    if (!statSync(folder, { throwIfNoEntry: false })?.isDirectory()) throw error;
  }
}
