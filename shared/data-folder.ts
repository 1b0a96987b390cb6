import { mkdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { StartError } from './start-error.ts';

/**
 * Makes a folder for data where there is none, its parents too, and proves that files can be written in it.
 *
 * Node's own recursive mkdir does not end where a file system has no room for a folder and says that there is no such
 * one, as /proc does; so each is made by itself.
 *
 * @throws StartError with one line that says what is wrong and where
 */
export function openDataFolder(folder: string): string {
  try {
    for (const each of missing(resolve(folder))) make(each);
    const probe = join(folder, `.writable-${process.pid}`);
    writeFileSync(probe, '');
    rmSync(probe);
    return folder;
  } catch (error) {
    throw new StartError(`cannot keep data in the folder ${folder}: ${(error as Error).message}`);
  }
}

/** The folders on the way to `folder` that are not there, the outermost first. */
function missing(folder: string): string[] {
  const status = statSync(folder, { throwIfNoEntry: false });
  if (status?.isDirectory()) return [];
  if (status) throw new Error(`${folder} is a file`);
  return [...missing(dirname(folder)), folder];
}

function make(folder: string): void {
  try {
    mkdirSync(folder);
  } catch (error) {
    // Another process may have been faster.
    if (!statSync(folder, { throwIfNoEntry: false })?.isDirectory()) throw error;
  }
}
