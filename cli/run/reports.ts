import { writeFileSync } from 'node:fs';
import {
  githubAnnotations,
  jsonReport,
  junitXml,
  type RunSummary,
  type ScenarioResult,
} from '../../scenarios/index.ts';
import { systemClock } from '../../shared/clock.ts';
import type { RunFlags } from './flags.ts';

/** Beside the lines of the scenario, where GitHub reads along. */
export function annotate(result: ScenarioResult): void {
  if (!process.env.GITHUB_ACTIONS) return;
  for (const annotation of githubAnnotations(result)) console.log(annotation);
}

export function writeReports(summary: RunSummary, { junit, json }: RunFlags): void {
  if (junit) writeFileSync(junit, junitXml(summary, systemClock.now()));
  if (json) writeFileSync(json, `${JSON.stringify(jsonReport(summary), null, 2)}\n`);
}
