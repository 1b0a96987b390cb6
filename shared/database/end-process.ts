import { writeSync } from 'node:fs';

/** Ends the process at once, with one line: the next start finds the true state on disk. */
export function endProcess(why: string): never {
  writeSync(2, `pinpad: ${why}\n`);
  process.exit(1);
}
