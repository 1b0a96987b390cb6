import { readFileSync, writeFileSync } from 'node:fs';
import { dirname, relative, resolve, sep } from 'node:path';
import {
  type Again,
  type Exploration,
  type Explored,
  exploreJunit,
  explorePage,
  type Findings,
  parseSchedule,
  reportJson,
  scheduleText,
  writeTraces,
} from '../../explore/index.ts';
import { systemClock } from '../../shared/clock.ts';
import { reasonOf } from '../../shared/file-fault.ts';
import { StartError } from '../../shared/start-error.ts';
import type { ExploreFlags } from './flags.ts';

/** The failures that a file names, one a line; what stands behind # is a remark. */
export function knownOf(file: string | undefined): ReadonlySet<string> {
  if (file === undefined) return new Set();
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (error) {
    throw new StartError(`--known ${file}: cannot be read: ${reasonOf(error)}`);
  }
  const named = text.split('\n').map((line) => line.replace(/#.*/, '').trim());
  return new Set(named.filter((line) => line !== '').map((line) => scheduleText(parseSchedule(line))));
}

export async function writeReports(
  exploration: Exploration,
  findings: Findings,
  flags: ExploreFlags,
  again: Again,
): Promise<void> {
  const { json, junit, html } = flags;
  if (json !== undefined) write(json, `${JSON.stringify(reportJson(exploration, findings), null, 2)}\n`);
  if (junit !== undefined)
    write(junit, exploreJunit(exploration, findings, { again, at: systemClock.now() }));
  if (html !== undefined) {
    const traces = await writeTraces(exploration.explored);
    const trace = (one: Explored) => {
      const file = traces.get(one);
      return file === undefined ? undefined : linkTo(file, html);
    };
    write(html, explorePage({ exploration, findings, again, trace }));
  }
}

/** A file's address in a page: relative, so that the folders may be moved together. */
function linkTo(file: string, page: string): string {
  const path = relative(dirname(resolve(page)), resolve(file)).split(sep);
  return path.map(encodeURIComponent).join('/');
}

function write(file: string, text: string): void {
  try {
    writeFileSync(file, text);
  } catch (error) {
    console.error(`pinpad: cannot write ${file}: ${reasonOf(error)}`);
    process.exitCode = 2;
  }
}
