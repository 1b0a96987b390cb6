import { dirname, join, relative, resolve, sep } from 'node:path';
import {
  type Exploration,
  type ExplorationFindings,
  type ExploredSchedule,
  formatExplorationJunitXml,
  makeExplorationJsonReport,
  type RerunCommandBuilder,
  renderExplorationPage,
  writeTraces,
} from '../../explore/index.ts';
import { systemClock } from '../../shared/clock.ts';
import { explorationPageFile, partialExplorationPageFile } from '../console/explorations.ts';
import type { ExploreFlags } from './flags.ts';
import { writeReplayedFailureScenarios } from './record-failures.ts';
import { tryWriteReport } from './write-report.ts';

/** Writes the reports that the user asked for, and the page for the console. */
export async function writeExplorationReports(
  exploration: Exploration,
  findings: ExplorationFindings,
  flags: ExploreFlags,
  again: RerunCommandBuilder,
): Promise<void> {
  const { json, junit, record } = flags;
  if (json !== undefined)
    tryWriteReport(json, `${JSON.stringify(makeExplorationJsonReport(exploration, findings), null, 2)}\n`);
  if (junit !== undefined)
    tryWriteReport(junit, formatExplorationJunitXml(exploration, findings, { again, at: systemClock.now() }));
  await writePages(exploration, findings, flags, again);
  if (record !== undefined) await writeReplayedFailureScenarios(record, exploration, findings, again);
}

/**
 * Writes the page that the user asked for (`--html`). Also writes a second page, for the console, into the folder of
 * the traces. Without `--html`, only the runs that failed get a trace.
 */
async function writePages(
  exploration: Exploration,
  findings: ExplorationFindings,
  { html, only, traces: folder }: ExploreFlags,
  again: RerunCommandBuilder,
): Promise<void> {
  const isTraced = ({ verdict }: ExploredSchedule) => html !== undefined || !isFine.has(verdict.is);
  const traces = await writeTraces(folder, exploration.explored.filter(isTraced));
  const beside = join(folder, only ? partialExplorationPageFile : explorationPageFile);
  for (const page of [...(html === undefined ? [] : [html]), beside]) {
    const trace = (one: ExploredSchedule) => {
      const file = traces.get(one);
      return file === undefined ? undefined : linkTo(file, page);
    };
    const isWritten = tryWriteReport(page, renderExplorationPage({ exploration, findings, again, trace }));
    if (isWritten && page === beside) console.log(`page     ${page}`);
  }
}

const isFine: ReadonlySet<string> = new Set(['survived', 'testFails']);

/**
 * Returns the address of a file for a link in a page. The address is relative, so that the link still works if the page
 * and the file are moved together.
 */
function linkTo(file: string, page: string): string {
  const path = relative(dirname(resolve(page)), resolve(file)).split(sep);
  return path.map(encodeURIComponent).join('/');
}
