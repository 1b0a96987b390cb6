import { readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import {
  backgroundBundlePrefix,
  latestBundle,
  processFileName,
  sourcesNoteFile,
  usersFolder,
} from '../../bin/clone-bundle.js';

/** Removes complete and half made bundles of the background that no process runs. */
export function removeUnused(root: string): void {
  const kept = latestBundle(root);
  for (const name of readdirSync(root)) {
    if (!name.startsWith(backgroundBundlePrefix) || name === kept) continue;
    const folder = join(root, name);
    // Without its note, no further process runs the bundle. Processes that run it already have left a mark
    // (bin/clone-bundle.js).
    rmSync(join(folder, sourcesNoteFile), { force: true });
    if (!isUsed(folder)) rmSync(folder, { recursive: true, force: true, maxRetries: 3 });
  }
}

/** A process of another container or machine cannot be seen from here, so it counts as running. */
function isUsed(folder: string): boolean {
  return usersOf(folder).some((name) => {
    const pid = Number.parseInt(name, 10);
    return name !== processFileName(pid) || isRunning(pid);
  });
}

function usersOf(folder: string): string[] {
  try {
    return readdirSync(join(folder, usersFolder));
  } catch {
    return []; // the process that makes the bundle was killed before it made this folder
  }
}

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM'; // the process belongs to another user
  }
}
