import { isoTime } from '../../shared/clock.ts';
import type { Finding } from '../../shared/lint/finding.ts';
import { findingsText } from '../../shared/lint/findings-text.ts';
import { escapeMarkup } from '../../shared/markup.ts';
import { describePlace } from '../format/scenario-file.ts';
import type { ScenarioResult } from '../run/run-scenario.ts';
import type { RunSummary } from '../run/run-scenarios.ts';
import type { ScenarioFailure } from '../run/run-steps.ts';

/**
 * Returns the run as JUnit XML, which CI servers can read (test/scenarios/junit.xsd). Each file is a test suite, and
 * the output of the test suite contains the mistakes of the POS.
 */
export function junitXml({ results, tookMs, pointOfSale }: RunSummary, at: number): string {
  const suites = Map.groupBy(results, ({ scenario }) => scenario.file);
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    `<testsuites name="pinpad" ${counts(results)} time="${seconds(tookMs)}">`,
    ...[...suites].flatMap(([file, cases]) => suite(file, cases, at)),
    ...outputSuite('point of sale', pointOfSale ?? []),
    '</testsuites>',
    '',
  ].join('\n');
}

function suite(file: string, cases: readonly ScenarioResult[], at: number): string[] {
  const took = cases.reduce((sum, { tookMs }) => sum + tookMs, 0);
  const timestamp = isoTime(at).slice(0, 19);
  return [
    `  <testsuite name="${escapeMarkup(file)}" ${counts(cases)} skipped="${skipped(cases)}" time="${seconds(took)}" timestamp="${timestamp}" hostname="localhost">`,
    ...cases.flatMap(testcase),
    '  </testsuite>',
  ];
}

/** Returns a test suite for findings that belong to no scenario. */
function outputSuite(name: string, findings: readonly Finding[]): string[] {
  if (findings.length === 0) return [];
  return [
    `  <testsuite name="${name}" ${counts([])}>`,
    ...output(findings).map((line) => `    ${line}`),
    '  </testsuite>',
  ];
}

function output(findings: readonly Finding[]): string[] {
  return findings.length > 0 ? [`<system-out>${escapeMarkup(findingsText(findings))}</system-out>`] : [];
}

function testcase(result: ScenarioResult): string[] {
  const { scenario, verdict, failure, reason, tookMs, findings } = result;
  const open = `    <testcase classname="${escapeMarkup(scenario.file)}" name="${escapeMarkup(scenario.name)}" time="${seconds(tookMs)}"`;
  const inside = [
    ...(failure ? [failed(result, failure)] : []),
    ...(verdict === 'skipped' ? [`<skipped message="${escapeMarkup(reason ?? '')}"/>`] : []),
    ...output(findings),
  ];
  if (inside.length === 0) return [`${open}/>`];
  return [`${open}>`, ...inside.map((line) => `      ${line}`), '    </testcase>'];
}

function failed({ trace }: ScenarioResult, { at, step, message, snapshot }: ScenarioFailure): string {
  const annotations = [
    describePlace(at),
    step,
    message,
    ...snapshot,
    ...(trace === undefined ? [] : [`trace: ${trace}`]),
  ];
  const [first = ''] = message.split('\n');
  return `<failure type="failure" message="${escapeMarkup(first)}">${escapeMarkup(annotations.join('\n'))}</failure>`;
}

function counts(results: readonly ScenarioResult[]): string {
  const failures = results.filter(({ verdict }) => verdict === 'failed').length;
  return `tests="${results.length}" failures="${failures}" errors="0"`;
}

function skipped(results: readonly ScenarioResult[]): number {
  return results.filter(({ verdict }) => verdict === 'skipped').length;
}

function seconds(ms: number): string {
  return (ms / 1000).toFixed(3);
}
