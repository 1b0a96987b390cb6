import type { LoadProcess } from '../load/load-process.ts';
import type { OperationName } from '../load/operations.ts';
import type { LoadResult } from '../load/run-load.ts';
import { cpuMsOf, type Target } from '../targets/target.ts';

/** One round's result. */
export interface Sample extends LoadResult {
  /** Processor time per operation of all the target's processes, µs. */
  cpuUs: number;
}

export async function measure(
  load: LoadProcess,
  target: Target,
  how: { operation: OperationName; concurrency: number; durationMs: number },
): Promise<Sample> {
  const { url, token, terminals } = target;
  const before = await cpuMsOf(target);
  const result = await load.run({ ...how, target: { url, token, terminals } });
  const cpuMs = (await cpuMsOf(target)) - before;
  return { ...result, cpuUs: (cpuMs / result.count) * 1000 };
}
