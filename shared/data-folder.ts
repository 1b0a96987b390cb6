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
import { makeCannotKeepDataError } from './file-fault.ts';
import { StartError } from './start-error.ts';

/**
 * Creates a folder for data and its parent folders if they are missing. Checks that files can be written in the folder.
 *
 * Node's own recursive mkdir never ends on a file system such as /proc, which cannot hold a new folder and reports this
 * as a missing folder. So each folder is created with a call of its own.
 *
 * If other users could read pinpad's files in an existing folder, the modes of these files are corrected and `warn` is
 * called (B124).
 * @throws StartError with one line. The line says what is wrong and where. It ends with `instead`, which advises the
 * user what to do
 */
export function prepareDataFolder(
  folder: string,
  warn: (message: string) => void = () => {},
  instead = 'choose another folder with --data, or keep nothing with --memory',
): string {
  try {
    const path = resolve(folder);
    for (const each of missingFolders(path)) makeFolder(each, each === path ? 0o700 : 0o777);
    const probe = join(folder, `.writable-${process.pid}`);
    writeFileSync(probe, '');
    rmSync(probe);
    if (hasModes) for (const problem of restrictModes(folder)) warn(problem);
    return folder;
  } catch (error) {
    const { message } = makeCannotKeepDataError(`the folder ${folder}`, error);
    throw new StartError(`${message}; ${instead}`);
  }
}

/** Writes a file that only its owner can read. It replaces an existing file completely or not at all. */
export function writePrivateFile(file: string, text: string): void {
  const temporary = `${file}.new`;
  rmSync(temporary, { force: true }); // an old temporary file is removed, because it would keep its own mode
  writeFileSync(temporary, text, { mode: 0o600, flag: 'wx' });
  renameSync(temporary, file);
}

/** Windows has no modes, and a user's folders are private there anyway. */
const hasModes = process.platform !== 'win32';
/** Pinpad's files in a data folder, which may contain other files too. */
const ownFiles =
  /^(pinpad\.sqlite|terminals\.sqlite(-\d+)?|credentials\.json|adyen-authority(-key)?\.pem|running\.json|gateway)(-wal|-shm|-journal|-lock|\.new)?$/;

/** Corrects the modes of a folder and of pinpad's files in it. Returns a line for each mode that was wrong. */
function restrictModes(folder: string): string[] {
  const files = readdirSync(folder)
    .filter((name) => ownFiles.test(name))
    .map((name) => join(folder, name))
    // a folder that has the name of one of pinpad's files does not belong to pinpad
    .filter((file) => statSync(file, { throwIfNoEntry: false })?.isFile());
  return [...restrictMode(folder, 0o700), ...files.flatMap((file) => restrictMode(file, 0o600))];
}

function restrictMode(path: string, mode: number): string[] {
  const status = statSync(path, { throwIfNoEntry: false });
  // If another process uses the folder, SQLite may have removed the file after the folder was listed.
  if (!status) return [];
  const now = status.mode & 0o777;
  if ((now & ~mode) === 0) return [];
  try {
    chmodSync(path, mode);
    return [
      `${path} could be read by other users: its mode was ${now.toString(8)} and is ${mode.toString(8)} now`,
    ];
  } catch (error) {
    return [
      `${path} can be read by other users, and its mode cannot be changed: ${(error as Error).message}`,
    ];
  }
}

/** Returns the missing folders in the path of `folder`, the outermost first. */
function missingFolders(folder: string): string[] {
  const status = statSync(folder, { throwIfNoEntry: false });
  if (status?.isDirectory()) return [];
  if (status) throw new Error(`${folder} is a file`);
  const above = missingFolders(dirname(folder));
  if (above.length === 0 && lstatSync(folder, { throwIfNoEntry: false }))
    throw new Error(`${folder} is a link to a folder that does not exist`);
  return [...above, folder];
}

function makeFolder(folder: string, mode: number): void {
  try {
    mkdirSync(folder, { mode });
  } catch (error) {
    // another process may have created the folder meanwhile
    if (!statSync(folder, { throwIfNoEntry: false })?.isDirectory()) throw error;
  }
}
