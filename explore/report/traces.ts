import { scheduleText } from '../plan/schedule.ts';
import type { ExploredSchedule } from '../search/run-schedules.ts';

/** Writes the trace of each run, and returns the files. A run is left out if its trace cannot be written. */
export async function writeTraces(
  explored: readonly ExploredSchedule[],
): Promise<ReadonlyMap<ExploredSchedule, string>> {
  const files = new Map<ExploredSchedule, string>();
  for (const one of explored) {
    const title = `${one.verdict.says}: ${scheduleText(one.schedule)}`;
    const file = await one.run.trace(title).catch(() => undefined);
    if (file !== undefined) files.set(one, file);
  }
  return files;
}
