import { readdirSync } from 'node:fs';
import { constants, setPriority } from 'node:os';
import { join } from 'node:path';
import { makeBundle } from './make-bundle.ts';

/**
 * `pinpad up` of a clone with changed sources runs this program (cli/bundle-later.ts). It makes the bundle anew and
 * prints what came of it. It ends when its standard input does, that is, when pinpad ends in any way.
 */
yieldToOthers();
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, () => process.exit(1));
process.stdin.once('close', () => process.exit(1)).resume();
try {
  console.log(await makeBundle(join(import.meta.dirname, '../..')));
} catch (error) {
  console.log(`not made: ${error instanceof Error ? error.message : error}`);
}
process.exit();

/** Linux gives each thread a priority of its own, and Node has started some. */
function yieldToOthers(): void {
  const { PRIORITY_LOW } = constants.priority;
  setPriority(PRIORITY_LOW);
  if (process.platform !== 'linux') return;
  for (const thread of readdirSync('/proc/self/task')) setPriority(Number(thread), PRIORITY_LOW);
}
