import { lstatSync, readdirSync, readFileSync, readlinkSync, rmSync } from 'node:fs';
import { join } from 'node:path';

/** What says in a folder of certificates whose it is. */
export const ownerFile = 'owner';

/** This process: where containers share a folder, their processes have numbers of their own. */
export function thisProcess(): string {
  return `${processNumbers()} ${process.pid}\n`;
}

/**
 * Removes folders of processes that are gone: whatever ends without being asked, as by SIGKILL, leaves its own (B423). What
 * cannot be removed stays.
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
      // Another's, or one that is being made.
    }
  }
}

/** Which numbering of processes it is; the same for all where there is but one. */
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
