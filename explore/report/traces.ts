import { scheduleText } from '../plan/planned.ts';
import type { Explored } from '../search/search.ts';

/** Writes the trace of each run, and returns the files. A run is left out if its trace cannot be written. */
export async function writeTraces(explored: readonly Explored[]): Promise<ReadonlyMap<Explored, string>> {
  const files = new Map<Explored, string>();
  for (const one of explored) {
    const title = `${one.verdict.says}: ${scheduleText(one.schedule)}`;
    const file = await one.run.trace(title).catch(() => undefined);
    if (file !== undefined) files.set(one, file);
  }
  return files;
}
