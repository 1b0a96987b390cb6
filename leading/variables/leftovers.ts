import { lstatSync, readdirSync, readFileSync, readlinkSync, rmSync } from 'node:fs';
import { join } from 'node:path';

/** The name of a file in each folder of certificates. The file says which process made the folder. */
export const ownerProcessFileName = 'owner';

/**
 * Returns a text that identifies this process. A process id alone is not enough: several containers may share a folder,
 * and processes of different containers may have the same id.
 */
export function makeProcessIdentity(): string {
  return `${processNumbers()} ${process.pid}\n`;
}

/**
 * Removes the folders of processes that have ended, because a killed process cannot remove its own folder (B423).
 * Ignores folders that cannot be removed.
 */
export function removeLeftovers(parent: string, prefix: string): void {
  for (const name of readdirSync(parent)) {
    if (!name.startsWith(prefix)) continue;
    const folder = join(parent, name);
    try {
      const { uid } = lstatSync(folder);
      const [numbers, pid] = readFileSync(join(folder, ownerProcessFileName), 'utf8').trim().split(' ');
      if (uid === (process.getuid?.() ?? uid) && numbers === processNumbers() && isGone(Number(pid)))
        rmSync(folder, { recursive: true, force: true });
    } catch {
      // The folder belongs to another user, or another process is making it at this moment.
    }
  }
}

/**
 * Identifies the numbering of process ids (the PID namespace). All processes of one container have the same numbering.
 */
function processNumbers(): string {
  try {
    return readlinkSync('/proc/self/ns/pid').replaceAll(/\D/g, '');
  } catch {
    return 'all';
  }
}

function isGone(pid: number): boolean {
  if (!Number.isSafeInteger(pid) || pid <= 0) return false;
  try {
    process.kill(pid, 0);
    return false;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ESRCH';
  }
}
