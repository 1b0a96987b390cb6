import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { renderTrace } from '../../scenarios/index.ts';
import { lintJournal } from '../../shared/lint/lint-journal.ts';
import { scheduleText } from '../plan/planned.ts';
import type { Explored } from '../search/search.ts';

/**
 * Writes the trace of each run into the folder, and returns the files. A run is left out if its trace cannot be
 * written.
 */
export async function writeTraces(
  folder: string,
  explored: readonly Explored[],
): Promise<ReadonlyMap<Explored, string>> {
  const files = new Map<Explored, string>();
  for (const one of explored) {
    const file = await writeTrace(folder, one).catch(() => undefined);
    if (file !== undefined) files.set(one, file);
  }
  return files;
}

async function writeTrace(folder: string, { run, schedule, verdict }: Explored): Promise<string> {
  const name = scheduleText(schedule);
  const { entries } = run;
  mkdirSync(folder, { recursive: true });
  const file = join(folder, `${name.replaceAll(/[^\w@.+-]/g, '_').slice(0, 120)}.html`);
  const title = `${verdict.says}: ${name}`;
  writeFileSync(file, await renderTrace({ title, entries, findings: lintJournal(entries) }));
  return file;
}
