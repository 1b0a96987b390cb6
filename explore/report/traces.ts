import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { renderTrace } from '../../scenarios/index.ts';
import { lintJournal } from '../../shared/lint/lint-journal.ts';
import { scheduleText } from '../plan/schedule.ts';
import type { ExploredSchedule } from '../search/run-schedules.ts';

/** Writes the trace of each run into the folder. Returns the file of each trace that could be written. */
export async function writeTraces(
  folder: string,
  explored: readonly ExploredSchedule[],
): Promise<ReadonlyMap<ExploredSchedule, string>> {
  const files = new Map<ExploredSchedule, string>();
  for (const one of explored) {
    const file = await writeTrace(folder, one).catch(() => undefined);
    if (file !== undefined) files.set(one, file);
  }
  return files;
}

/** Writes the trace of a run into the folder, and returns the file. */
export async function writeTrace(
  folder: string,
  { run: { entries }, schedule, verdict }: ExploredSchedule,
): Promise<string> {
  const name = scheduleText(schedule);
  const file = join(folder, `${name.replaceAll(/[^\w@.+-]/g, '_').slice(0, 120)}.html`);
  const title = `${verdict.says}: ${name}`;
  const page = await renderTrace({ title, entries, findings: lintJournal(entries) });
  mkdirSync(folder, { recursive: true });
  writeFileSync(file, page);
  return file;
}
