import { writeSync } from 'node:fs';

/**
 * Ends the process at once, and prints the reason in one line. The next start finds the true state on disk. The line is
 * printed last, after the text UI has restored the terminal window. If the line were printed earlier, the window would
 * lose it.
 */
export function exitWithReason(why: string): never {
  process.once('exit', () => writeSync(2, `pinpad: ${why}\n`));
  process.exit(1);
}
