import { writeSync } from 'node:fs';

/**
 * Ends the process at once, with one line: the next start finds the true state on disk. The line comes last, when the screen
 * has given the window back: what is written before goes with it.
 */
export function endProcess(why: string): never {
  process.once('exit', () => writeSync(2, `pinpad: ${why}\n`));
  process.exit(1);
}
