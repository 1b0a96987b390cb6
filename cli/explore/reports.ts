import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, relative, resolve, sep } from 'node:path';
import {
  type Again,
  type Exploration,
  type Explored,
  exploreJunit,
  explorePage,
  type Findings,
  parseSchedule,
  recordedFailure,
  reportJson,
  scheduleText,
  writeTraces,
} from '../../explore/index.ts';
import { findScenarios, runScenario } from '../../scenarios/index.ts';
import { systemClock } from '../../shared/clock.ts';
import { fileFaultReason } from '../../shared/file-fault.ts';
import { StartError } from '../../shared/start-error.ts';
import { explorationPage, onlyPage } from '../console/explorations.ts';
import type { ExploreFlags } from './flags.ts';

/** Returns the failures that a file names, one on each line. A text after # is a remark. */
export function knownOf(file: string | undefined): ReadonlySet<string> {
  if (file === undefined) return new Set();
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (error) {
    throw new StartError(`--known ${file}: cannot be read: ${fileFaultReason(error)}`);
  }
  const named = text.split('\n').map((line) => line.replace(/#.*/, '').trim());
  return new Set(named.filter((line) => line !== '').map((line) => scheduleText(parseSchedule(line))));
}

export async function writeExplorationReports(
  exploration: Exploration,
  findings: Findings,
  flags: ExploreFlags,
  again: Again,
): Promise<void> {
  const { json, junit, record } = flags;
  if (json !== undefined) write(json, `${JSON.stringify(reportJson(exploration, findings), null, 2)}\n`);
  if (junit !== undefined)
    write(junit, exploreJunit(exploration, findings, { again, at: systemClock.now() }));
  await writePages(exploration, findings, flags, again);
  if (record !== undefined) await recordFailures(record, exploration, findings, again);
}

/**
 * Writes the page that the user asked for (`--html`), and a page next to the traces for the console. Without `--html`,
 * only the runs that failed have a trace.
 */
async function writePages(
  exploration: Exploration,
  findings: Findings,
  { html, only, traces: folder }: ExploreFlags,
  again: Again,
): Promise<void> {
  const isTraced = ({ verdict }: Explored) => html !== undefined || !isFine.has(verdict.is);
  const traces = await writeTraces(exploration.explored.filter(isTraced));
  const beside = join(folder, only ? onlyPage : explorationPage);
  for (const page of [...(html === undefined ? [] : [html]), beside]) {
    const trace = (one: Explored) => {
      const file = traces.get(one);
      return file === undefined ? undefined : linkTo(file, page);
    };
    const isWritten = write(page, explorePage({ exploration, findings, again, trace }));
    if (isWritten && page === beside) console.log(`page     ${page}`);
  }
}

const isFine: ReadonlySet<string> = new Set(['survived', 'testFails']);

/**
 * Writes each failure as a scenario, in a file named after its faults. The file is kept only if the scenario fails
 * because of that failure.
 */
async function recordFailures(
  folder: string,
  exploration: Exploration,
  findings: Findings,
  again: Again,
): Promise<void> {
  for (const { shown, also } of findings.failures)
    for (const one of [shown, ...also]) {
      const recorded = recordedFailure(one, exploration, again);
      const file = join(folder, `${recorded.name}.yaml`);
      if ('text' in recorded && !write(file, recorded.text)) continue;
      const why = 'why' in recorded ? recorded.why : await whyNotRed(file);
      if (why !== undefined && 'text' in recorded) rmSync(file);
      console.log(why === undefined ? `recorded ${file}` : `not recorded: ${recorded.name}: ${why}`);
    }
}

/** Replays a recorded scenario. Returns the reason if the scenario does not show the failure, otherwise undefined. */
async function whyNotRed(file: string): Promise<string | undefined> {
  try {
    const [scenario] = findScenarios([file]);
    if (!scenario) return 'the recorded file cannot be read again';
    const { failure } = await runScenario(scenario);
    if (!failure) return 'a scenario with the same requests does not fail';
    return isExpected(failure.step)
      ? undefined
      : `its scenario stops at "${failure.step}", before the failure`;
  } catch (error) {
    return `it cannot be replayed: ${fileFaultReason(error)}`;
  }
}

/** Whether a failed step is one of the expectations at the end of a recorded failure. */
function isExpected(step: string): boolean {
  return /journal|books/.test(step);
}

/** Returns the address of a file in a page. It is relative, so that the folders may be moved together. */
function linkTo(file: string, page: string): string {
  const path = relative(dirname(resolve(page)), resolve(file)).split(sep);
  return path.map(encodeURIComponent).join('/');
}

function write(file: string, text: string): boolean {
  try {
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, text);
    return true;
  } catch (error) {
    console.error(`pinpad: cannot write ${file}: ${fileFaultReason(error)}`);
    process.exitCode = 2;
    return false;
  }
}
