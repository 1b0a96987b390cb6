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

/** The failures that a file names, one a line; what stands behind # is a remark. */
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

/** The page that was asked for, and one beside the traces, which the console shows: there only what failed has a trace, unless both are written. */
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

/** Each failure as a scenario, in a file that its schedule names; it stays only if it is red for what failed. */
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

/** Replays a scenario that was recorded: why it does not show the failure, if so. */
async function whyNotRed(file: string): Promise<string | undefined> {
  try {
    const [scenario] = findScenarios([file]);
    if (!scenario) return 'it cannot be read again';
    const { failure } = await runScenario(scenario);
    if (!failure) return 'a scenario with the same requests does not fail';
    return isExpected(failure.step) ? undefined : `a scenario of it stops at "${failure.step}"`;
  } catch (error) {
    return `it cannot be replayed: ${fileFaultReason(error)}`;
  }
}

/** The expectations at the end of a recorded failure, as a failed step reads. */
function isExpected(step: string): boolean {
  return /journal|books/.test(step);
}

/** A file's address in a page: relative, so that the folders may be moved together. */
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
