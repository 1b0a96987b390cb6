import { writeFileSync } from 'node:fs';
import {
  formatGithubAnnotations,
  junitXml,
  makeRunJsonReport,
  type RunSummary,
  type ScenarioResult,
} from '../../scenarios/index.ts';
import { systemClock } from '../../shared/clock.ts';
import { makeCannotWriteError } from '../../shared/file-fault.ts';
import type { RunFlags } from './flags.ts';

/**
 * If the run is part of a GitHub Actions job, prints annotations that GitHub shows beside the lines of the scenario.
 */
export function printGithubAnnotations(result: ScenarioResult): void {
  if (!process.env.GITHUB_ACTIONS) return;
  for (const annotation of formatGithubAnnotations(result)) console.log(annotation);
}

export function writeRunReports(summary: RunSummary, { junit, json }: RunFlags): void {
  if (junit) write(junit, junitXml(summary, systemClock.now()));
  if (json) write(json, `${JSON.stringify(makeRunJsonReport(summary), null, 2)}\n`);
}

function write(file: string, text: string): void {
  try {
    writeFileSync(file, text);
  } catch (error) {
    printReportWriteError(makeCannotWriteError(file, error).message);
  }
}

/** Prints the problem if a report was not written, and sets the exit code unless a scenario has failed. */
export function printReportWriteError(problem: string): void {
  console.error(`pinpad: ${problem}`);
  process.exitCode ??= 2;
}
