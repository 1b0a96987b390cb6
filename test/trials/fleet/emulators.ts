import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { World } from '../../load/world.ts';
import { NodeProcess } from '../../node-process.ts';

/** The number of processes in which the terminals run. */
const emulators = 4;

/** Starts the processes one after another. Each of them runs its share of the terminals. */
export async function startEmulators(world: World, folder: string): Promise<NodeProcess<unknown>[]> {
  const running: NodeProcess<unknown>[] = [];
  for (let nth = 0; nth < emulators; nth++) {
    const given = world.terminals.filter((_, at) => at % emulators === nth);
    const file = join(folder, `terminals-${nth}.json`);
    writeFileSync(file, JSON.stringify(given.map(({ poiId, deviceKey }) => ({ poiId, deviceKey }))));
    const logFile = join(world.logs, `terminals-${nth}.jsonl`);
    const script = join(import.meta.dirname, 'terminals.ts');
    running.push(await NodeProcess.start(script, [world.url, file], { logFile }));
  }
  return running;
}
