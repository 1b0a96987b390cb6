import { writeSync } from 'node:fs';

/**
 * Ends the process at once and says why in one line. The next start finds the true state on disk. The line is written
 * last, after the terminal UI has restored the window, because the window loses what is written before.
 */
export function endProcess(why: string): never {
  process.once('exit', () => writeSync(2, `pinpad: ${why}\n`));
  process.exit(1);
}
