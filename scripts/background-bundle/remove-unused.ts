import { readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import {
  backgroundBundleFolderPrefix,
  bundleUserPidsFolder,
  findLatestBackgroundBundleFolder,
  makeProcessMarkerFileName,
  sourcesNoteFile,
} from '../../bin/clone-bundle.js';

/**
 * Removes bundles that were made in the background and are not in use, including incomplete bundles. Keeps the latest
 * bundle.
 */
export function removeUnusedBundles(root: string): void {
  const kept = findLatestBackgroundBundleFolder(root);
  for (const name of readdirSync(root)) {
    if (!name.startsWith(backgroundBundleFolderPrefix) || name === kept) continue;
    const folder = join(root, name);
    // Without the note about the bundle's sources, no further process starts the bundle. Each process that already runs
    // the bundle has left a file in the folder (bin/clone-bundle.js).
    rmSync(join(folder, sourcesNoteFile), { force: true });
    if (!isUsed(folder)) rmSync(folder, { recursive: true, force: true, maxRetries: 3 });
  }
}

/**
 * Whether a process uses the bundle. Processes of other containers or machines cannot be seen here, so they count as
 * running.
 */
function isUsed(folder: string): boolean {
  return usersOf(folder).some((name) => {
    const pid = Number.parseInt(name, 10);
    return name !== makeProcessMarkerFileName(pid) || isRunning(pid);
  });
}

function usersOf(folder: string): string[] {
  try {
    return readdirSync(join(folder, bundleUserPidsFolder));
  } catch {
    return []; // the process that was making the bundle was killed before it made this folder
  }
}

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM'; // the process belongs to another user
  }
}
