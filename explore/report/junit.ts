import { isoTime } from '../../shared/clock.ts';
import { escapeMarkup } from '../../shared/markup.ts';
import type { Exploration } from '../exploration.ts';
import { describeSchedule, faultKindOf } from '../plan/catalogue.ts';
import { faultGroups } from '../plan/fault-kind.ts';
import { type Schedule, scheduleText } from '../plan/schedule.ts';
import type { ExploredSchedule } from '../search/run-schedules.ts';
import type { ExplorationFindings } from './failures.ts';
import { exploredScheduleText, outcomeWordOf } from './outcome-word.ts';
import type { RerunCommandBuilder } from './text.ts';

interface Case {
  readonly suite: string;
  readonly name: string;
  readonly ms: number;
  readonly outcome: 'passed' | 'failed' | 'skipped';
  /** The XML inside of the test case's element. */
  readonly inside: readonly string[];
}

/**
 * Returns the exploration as JUnit XML, in the form that CI servers read (test/scenarios/junit.xsd). It has a test
 * suite for each actor with faults, and a test case for each run. Known failures, unstable runs, and schedules that
 * were not run are marked as skipped, with the reason.
 *
 * @param at the time of the report, in epoch milliseconds
 */
export function formatExplorationJunitXml(
  { explored, left, tookMs }: Exploration,
  findings: ExplorationFindings,
  { again, at }: { again: RerunCommandBuilder; at: number },
): string {
  const cases = [...explored.map((one) => caseOf(one, findings, again)), ...left.map(notRun)];
  const suites = Map.groupBy(cases, ({ suite }) => suite);
  const inOrder = faultGroups.filter((group) => suites.has(group));
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    `<testsuites name="pinpad explore" ${counts(cases)} time="${seconds(tookMs)}">`,
    ...inOrder.flatMap((group) => suiteOf(group, suites.get(group) ?? [], at)),
    '</testsuites>',
    '',
  ].join('\n');
}

/**
 * Returns the actor under which a run is reported. It is the actor of the last fault, because the run was made to try
 * that fault.
 */
function suiteName(schedule: Schedule): string {
  const last = schedule.at(-1);
  return last ? faultKindOf(last).group : faultGroups[0];
}

function caseOf(one: ExploredSchedule, findings: ExplorationFindings, again: RerunCommandBuilder): Case {
  const { verdict, schedule, wanted, run } = one;
  const word = outcomeWordOf(one, findings);
  const base = { suite: suiteName(wanted), name: exploredScheduleText(one), ms: run.tookMs };
  if (word === 'survived') return { ...base, outcome: 'passed', inside: [] };
  if (word === 'testFails')
    return { ...base, outcome: 'passed', inside: [`<system-out>${escapeMarkup(verdict.says)}</system-out>`] };
  if (word !== 'failed')
    return {
      ...base,
      outcome: 'skipped',
      inside: [`<skipped message="${escapeMarkup(`${word}: ${verdict.says}`)}"/>`],
    };
  const group = findings.failures.find(({ shown, also }) => shown === one || also.includes(one));
  const told = [
    verdict.says,
    `when: ${describeSchedule(schedule)}`,
    ...(group?.cause.lines ?? []).map((line) => `cause: ${line}`),
    ...(group ? [`mend: ${group.cause.mend}`] : []),
    `again: ${again(scheduleText(schedule))}`,
    ...run.output,
  ];
  const failure = `<failure type="${verdict.is}" message="${escapeMarkup(verdict.says)}">${escapeMarkup(told.join('\n'))}</failure>`;
  return { ...base, outcome: 'failed', inside: [failure] };
}

function notRun(schedule: Schedule): Case {
  return {
    suite: suiteName(schedule),
    name: scheduleText(schedule),
    ms: 0,
    outcome: 'skipped',
    inside: ['<skipped message="not run: the exploration stopped before this run"/>'],
  };
}

function suiteOf(name: string, cases: readonly Case[], at: number): string[] {
  const took = cases.reduce((sum, { ms }) => sum + ms, 0);
  const skipped = cases.filter(({ outcome }) => outcome === 'skipped').length;
  const timestamp = isoTime(at).slice(0, 19);
  return [
    `  <testsuite name="${escapeMarkup(name)}" ${counts(cases)} skipped="${skipped}" time="${seconds(took)}" timestamp="${timestamp}" hostname="localhost">`,
    ...cases.flatMap(testcase),
    '  </testsuite>',
  ];
}

function testcase({ suite, name, ms, inside }: Case): string[] {
  const open = `    <testcase classname="explore.${escapeMarkup(suite)}" name="${escapeMarkup(name)}" time="${seconds(ms)}"`;
  if (inside.length === 0) return [`${open}/>`];
  return [`${open}>`, ...inside.map((line) => `      ${line}`), '    </testcase>'];
}

function counts(cases: readonly Case[]): string {
  const failures = cases.filter(({ outcome }) => outcome === 'failed').length;
  return `tests="${cases.length}" failures="${failures}" errors="0"`;
}

function seconds(ms: number): string {
  return (ms / 1_000).toFixed(3);
}
