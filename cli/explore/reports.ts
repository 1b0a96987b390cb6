import { readFileSync, writeFileSync } from 'node:fs';
import {
  type Exploration,
  type Findings,
  parseSchedule,
  reportJson,
  scheduleText,
} from '../../explore/index.ts';
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
): Promise<void> {
  if (flags.json !== undefined)
    write(flags.json, `${JSON.stringify(reportJson(exploration, findings), null, 2)}\n`);
}

function write(file: string, text: string): void {
  try {
    writeFileSync(file, text);
  } catch (error) {
    console.error(`pinpad: cannot write ${file}: ${reasonOf(error)}`);
    process.exitCode = 2;
  }
}
