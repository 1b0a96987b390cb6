import type { NodeProcess } from '../../test/node-process.ts';
import type { LoadTarget } from '../load/operation.ts';

/** A program under load, with its processes. The gateway's process comes first. */
export interface Target extends LoadTarget {
  processes: NodeProcess<unknown>[];
}

/** Returns two processor times so far: that of all the target's processes, and that of the gateway's main thread. */
export async function cpuOf(target: Target): Promise<{ cpuMs: number; mainMs: number }> {
  const each = await Promise.all(target.processes.map((process) => process.cpu()));
  return { cpuMs: each.reduce((sum, { cpuMs }) => sum + cpuMs, 0), mainMs: each[0]?.mainMs ?? Number.NaN };
}

/** Stops the target, terminals first, so that the gateway does not wait for them. */
export async function stopTarget(target: Target): Promise<void> {
  for (const each of target.processes.toReversed()) await each.stop();
}
