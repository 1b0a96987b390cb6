import { readdirSync } from 'node:fs';
import { constants, setPriority } from 'node:os';
import { join } from 'node:path';
import { makeBundle } from './make-bundle.ts';

/**
 * `pinpad up` runs this program in a clone with changed sources (cli/bundle-later.ts). The program makes a new bundle
 * and prints the result. The program ends when its standard input ends, which happens even if `pinpad up` is killed.
 */
yieldToOthers();
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, () => process.exit(1));
process.stdin.once('close', () => process.exit(1)).resume();
try {
  console.log(await makeBundle(join(import.meta.dirname, '../..')));
} catch (error) {
  console.log(`the bundle was not made: ${error instanceof Error ? error.message : error}`);
}
process.exit();

/**
 * Lowers the priority of this process. On Linux, also lowers the priority of each thread, because each thread has its
 * own priority, and Node has already started several threads.
 */
function yieldToOthers(): void {
  const { PRIORITY_LOW } = constants.priority;
  setPriority(PRIORITY_LOW);
  if (process.platform !== 'linux') return;
  for (const thread of readdirSync('/proc/self/task')) setPriority(Number(thread), PRIORITY_LOW);
}
