import {
  closeSync,
  fsyncSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readdirSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import {
  backgroundBundleFolderPrefix,
  bundleUserPidsFolder,
  findFreshBundleFolder,
  latestBundleNoteFile,
} from '../../bin/clone-bundle.js';
import { lockSqlite } from '../../shared/database/sqlite-connection.ts';
import { readFolderChangeTimeMs, writeSourcesNote } from '../note-sources.ts';
import { removeUnusedBundles } from './remove-unused.ts';
import { tryBundle } from './try-out.ts';

/**
 * Makes a bundle of the sources in `root` for the next start, unless there is a fresh bundle, or another process is
 * making a bundle. Resolves to the result in words. If this process ends early, it removes the unfinished bundle. If
 * this process is killed, the next process removes the unfinished bundle.
 */
export async function makeBundle(root: string): Promise<string> {
  mkdirSync(join(root, dirname(latestBundleNoteFile)), { recursive: true });
  const unlock = lock(join(root, latestBundleNoteFile));
  if (!unlock) return 'another process makes one';
  try {
    removeUnusedBundles(root);
    if (findFreshBundleFolder(root)) return 'there is one already';
    const folder = mkdtempSync(join(root, backgroundBundleFolderPrefix));
    const remove = () => rmSync(folder, { recursive: true, force: true, maxRetries: 3 });
    process.once('exit', remove);
    try {
      const isUsable = await fill(root, folder);
      if (isUsable) process.removeListener('exit', remove);
      else remove();
      removeUnusedBundles(root);
      return isUsable ? 'made' : 'the bundle was not made, because a source file has changed in the meantime';
    } catch (error) {
      remove();
      throw error;
    }
  } finally {
    unlock();
  }
}

/**
 * Takes the lock, and returns a function that releases the lock. Returns undefined if another process has the lock. The
 * system releases the lock if this process is killed.
 */
function lock(file: string): (() => void) | undefined {
  try {
    return lockSqlite(file, 0);
  } catch (error) {
    if ((error as { code?: string }).code === 'SQLITE_BUSY') return undefined;
    throw error;
  }
}

/**
 * Makes the bundle in an empty folder, and notes the folder as the latest bundle. If a source has changed in the
 * meantime, does not note the folder, and returns false.
 */
async function fill(root: string, folder: string): Promise<boolean> {
  const beganAt = readFolderChangeTimeMs(folder);
  mkdirSync(join(folder, bundleUserPidsFolder));
  // The bundling script is loaded only now, and from the clone, because the script may have changed too.
  const { bundle } = await import(pathToFileURL(join(root, 'scripts/bundle.ts')).href);
  const files = await bundle(folder);
  await tryBundle(folder);
  if (!writeSourcesNote(folder, files, beganAt)) return false;
  flush(folder);
  const next = join(root, `${latestBundleNoteFile}-next`);
  writeFileSync(next, basename(folder), { flush: true });
  renameSync(next, join(root, latestBundleNoteFile));
  return true;
}

/**
 * Flushes all files to disk. Otherwise, after a power cut, the folder could have the note about its sources, but not
 * its other files.
 */
function flush(folder: string): void {
  for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue;
    const file = openSync(join(entry.parentPath, entry.name), 'r+');
    fsyncSync(file);
    closeSync(file);
  }
}
