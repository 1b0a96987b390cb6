import { findingsText } from '../../shared/lint/findings-text.ts';
import type { FilePlace } from '../format/scenario-file.ts';
import type { ScenarioResult } from '../run/run-scenario.ts';
import type { RunSummary } from '../run/run-scenarios.ts';

/** Returns the report for programs: one object for each scenario, with its failure. */
export function makeRunJsonReport({ results, notRun, tookMs, pointOfSale }: RunSummary): object {
  return {
    passed: results.filter(({ verdict }) => verdict === 'passed').length,
    failed: results.filter(({ verdict }) => verdict === 'failed').length,
    skipped: results.filter(({ verdict }) => verdict === 'skipped').length,
    notRun,
    tookMs,
    scenarios: results.map(({ scenario, seed, verdict, reason, failure, tookMs: took, findings, trace }) => ({
      file: scenario.file,
      line: scenario.at.line,
      name: scenario.name,
      tags: scenario.tags,
      seed,
      verdict,
      reason,
      failure,
      tookMs: took,
      findings,
      trace,
    })),
    pointOfSale,
  };
}

/**
 * Returns the annotations (workflow commands) that GitHub shows beside the lines of a scenario: its failure, and a
 * warning. The warning contains all mistakes of the scenario's POS, because GitHub shows only ten annotations.
 */
export function formatGithubAnnotations({ scenario, failure, findings }: ScenarioResult): string[] {
  const annotations: string[] = [];
  if (failure) annotations.push(annotation('error', failure.at, scenario.name, failure.message));
  if (findings.length > 0)
    annotations.push(
      annotation('warning', scenario.at, `The POS of: ${scenario.name}`, findingsText(findings)),
    );
  return annotations;
}

function annotation(level: string, { file, line, column }: FilePlace, title: string, text: string): string {
  const property = (value: string) => data(value).replaceAll(':', '%3A').replaceAll(',', '%2C');
  return `::${level} file=${property(file)},line=${line},col=${column},title=${property(title)}::${data(text)}`;
}

function data(text: string): string {
  return text.replaceAll('%', '%25').replaceAll('\r', '%0D').replaceAll('\n', '%0A');
}
