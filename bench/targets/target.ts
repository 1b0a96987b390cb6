import type { NodeProcess } from '../../test/node-process.ts';
import type { LoadTarget } from '../load/operation.ts';

/** Something under load, with the processes it consists of: the gateway's first. */
export interface Target extends LoadTarget {
  processes: NodeProcess<unknown>[];
}

/** Processor time of all its processes so far. */
export async function cpuMsOf(target: Target): Promise<number> {
  const each = await Promise.all(target.processes.map((process) => process.cpuMs()));
  return each.reduce((sum, cpuMs) => sum + cpuMs, 0);
}

/** Terminals first, so that the gateway does not wait for them. */
export async function stopTarget(target: Target): Promise<void> {
  for (const each of target.processes.toReversed()) await each.stop();
}
