import { findingsText } from '../../shared/lint/findings-text.ts';
import { makeLinesPrintable, makePrintable } from '../../shared/printable.ts';
import { parseDifferenceLine } from '../expect/match.ts';
import { describePlace } from '../format/scenario-file.ts';
import type { ScenarioResult } from '../run/run-scenario.ts';
import type { RunSummary } from '../run/run-scenarios.ts';
import { makeCodeFrame } from './code-frame.ts';
import type { Paint } from './paint.ts';

const marks = { passed: '✓', failed: '✗', skipped: '-' };

/** Returns the line about a scenario's result, such as `✓ A customer pays with chip and PIN (120 ms)`. */
export function resultLine(
  { scenario, verdict, tookMs, reason, seed }: ScenarioResult,
  paint: Paint,
): string {
  const mark =
    verdict === 'passed'
      ? paint.good(marks.passed)
      : verdict === 'failed'
        ? paint.bad(marks.failed)
        : marks.skipped;
  const more = reason ?? `${tookMs} ms${verdict === 'failed' ? `, seed ${seed}` : ''}`;
  return `${mark} ${scenario.name} ${paint.faint(`(${makePrintable(more)})`)}`;
}

/** Returns everything that a person needs to find out why a scenario failed. */
export function failureReportText({ scenario, failure, seed, trace }: ScenarioResult, paint: Paint): string {
  if (!failure) return '';
  const indented = (text: string, by = '    ') => text.replaceAll(/^/gm, by);
  return [
    `${paint.bad('✗')} ${scenario.name}`,
    `  at ${describePlace(failure.at)}`,
    ...makeCodeFrame(failure, paint),
    '',
    ...failure.message
      .split('\n')
      .map(makePrintable)
      .flatMap((line) => messageLines(line, paint).map((each) => `    ${each}`)),
    ...(failure.snapshot.length > 0
      ? [paint.faint(indented(['', ...failure.snapshot.map(makeLinesPrintable)].join('\n')))]
      : []),
    ...(trace === undefined ? [] : [`    trace: ${trace}`]),
    paint.faint(
      `    again: pinpad run ${word(scenario.file)} --grep ${word(scenario.name, true)} --seed ${seed}${trace === undefined ? ' --trace on' : ''}`,
    ),
  ].join('\n');
}

/**
 * Writes the expected value and the received value on two lines, one below the other, if the line describes a
 * difference.
 */
function messageLines(line: string, paint: Paint): string[] {
  const difference = parseDifferenceLine(line);
  if (!difference) return [line.startsWith('saw ') ? paint.faint(shortened(line)) : shortened(line)];
  const { path, expected, actual, waited } = difference;
  return [
    [path, waited].filter(Boolean).join(' ') || 'difference',
    `  expected ${paint.good(expected)}`,
    `  received ${paint.bad(actual.replace(/^nothing is there/, 'nothing'))}`,
  ];
}

/** Shortens a long line, because a whole answer on one line is unreadable. The trace contains the full text. */
function shortened(line: string): string {
  return line.length > 300 ? `${line.slice(0, 300)}…` : line;
}

/** Quotes a word for a shell. */
function word(text: string, quoted = /[^\w./-]/.test(text)): string {
  if (!quoted) return text;
  return /["$`\\!]/.test(text) ? `'${text.replaceAll("'", "'\\''")}'` : `"${text}"`;
}

/**
 * Returns the summary of a run: the failures once more, then the numbers of failed, passed and skipped scenarios, then
 * the mistakes of the POS.
 */
export function summaryText(
  summary: RunSummary,
  paint: Paint,
  findings: 'none' | 'brief' | 'all' = 'brief',
): string {
  const { results, notRun, tookMs } = summary;
  const of = (verdict: ScenarioResult['verdict']) => results.filter((result) => result.verdict === verdict);
  const failed = of('failed');
  const counts = [
    failed.length > 0 ? paint.bad(`${failed.length} failed`) : undefined,
    paint.good(`${of('passed').length} passed`),
    of('skipped').length > 0 ? `${of('skipped').length} skipped` : undefined,
    notRun > 0 ? `${notRun} not run` : undefined,
  ];
  return [
    '',
    ...failed.map((result) => `${failureReportText(result, paint)}\n`),
    ...(findings === 'all' ? allFindings(results) : []),
    ...pointOfSaleText(summary),
    `${counts.filter(Boolean).join(', ')} in ${(tookMs / 1000).toFixed(1)} s`,
    ...(findings === 'brief' ? briefFindings(results) : []),
  ].join('\n');
}

/** Returns the mistakes that other clients of the gateway made during the run. */
function pointOfSaleText({ pointOfSale = [] }: RunSummary): string[] {
  if (pointOfSale.length === 0) return [];
  return [
    `Mistakes of the point of sale that used the gateway during the run:\n\n${findingsText(pointOfSale)}\n`,
  ];
}

function allFindings(results: readonly ScenarioResult[]): string[] {
  const found = results.flatMap(({ scenario, findings }) =>
    findings.map((finding) => ({
      ...finding,
      scenario: `${scenario.file}:${scenario.at.line} ${scenario.name}`,
    })),
  );
  return found.length > 0 ? [`The POS of the scenarios:\n\n${findingsText(found)}\n`] : [];
}

function briefFindings(results: readonly ScenarioResult[]): string[] {
  const rules = results.flatMap(({ findings }) => [...new Set(findings.map(({ rule }) => rule))]);
  if (rules.length === 0) return [];
  const counted = [...Map.groupBy(rules, (rule) => rule)].map(
    ([rule, scenarios]) =>
      `${rule} in ${scenarios.length === 1 ? '1 scenario' : `${scenarios.length} scenarios`}`,
  );
  return [`Mistakes of the POS that would cause trouble in a shop (--lint shows all): ${counted.join(', ')}`];
}
