import { lstatSync, readdirSync, readFileSync, readlinkSync, rmSync } from 'node:fs';
import { join } from 'node:path';

/** The name of the file, in a folder of certificates, that says which process made the folder. */
export const ownerFile = 'owner';

/**
 * Returns a text that identifies this process. A process id alone would not, because containers may share a folder, but
 * number their processes separately.
 */
export function processIdentity(): string {
  return `${processNumbers()} ${process.pid}\n`;
}

/**
 * Removes the folders of processes that have ended: a process that is killed leaves its folder behind (B423). A folder
 * that cannot be removed stays.
 */
export function removeLeftovers(parent: string, prefix: string): void {
  for (const name of readdirSync(parent)) {
    if (!name.startsWith(prefix)) continue;
    const folder = join(parent, name);
    try {
      const { uid } = lstatSync(folder);
      const [numbers, pid] = readFileSync(join(folder, ownerFile), 'utf8').trim().split(' ');
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
