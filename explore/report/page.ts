import { escapeMarkup as text } from '../../shared/markup.ts';
import type { Exploration } from '../exploration.ts';
import { describeSchedule } from '../plan/catalogue.ts';
import { scheduleText } from '../plan/schedule.ts';
import type { ExploredSchedule } from '../search/run-schedules.ts';
import type { ExplorationFindings, FailureGroup } from './failures.ts';
import { findCombinedFaultRuns, type Matrix, matricesOf } from './matrix.ts';
import { exploredScheduleText, type OutcomeWord, outcomeWordOf } from './outcome-word.ts';
import { pageStyle } from './page-style.ts';
import { failureCountText, type RerunCommandBuilder } from './text.ts';

interface PageParts {
  readonly exploration: Exploration;
  readonly findings: ExplorationFindings;
  readonly again: RerunCommandBuilder;
  /** Returns the address of a run's trace, for a link in the page; undefined if the trace was not written. */
  trace(one: ExploredSchedule): string | undefined;
}

const marks: Readonly<Record<OutcomeWord | 'notRun', { mark: string; says: string }>> = {
  survived: { mark: '✓', says: 'survived' },
  failed: { mark: '✗', says: 'failed' },
  testFails: { mark: 't', says: 'your test fails, but the money is right' },
  unstable: { mark: '?', says: 'unstable: the repetitions differ' },
  known: { mark: 'k', says: 'a known failure' },
  notRun: { mark: '·', says: 'not run' },
};

/**
 * Returns the exploration as an HTML page that fetches nothing and runs no script. The mark of a run opens the run's
 * trace in a new tab.
 */
export function renderExplorationPage(parts: PageParts): string {
  const { exploration, findings } = parts;
  const pairs = findCombinedFaultRuns(exploration);
  return [
    '<!doctype html>',
    '<html lang="en"><head><meta charset="utf-8">',
    `<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">`,
    '<base target="_blank">',
    '<meta name="viewport" content="width=device-width, initial-scale=1">',
    `<title>pinpad explore</title><style>${pageStyle}</style></head><body>`,
    '<h1>What your point of sale survives</h1>',
    `<p>${summary(exploration, findings)}</p>`,
    ...findings.failures.map((group) => failure(group, parts)),
    legend(),
    ...matricesOf(exploration).map((matrix) => table(matrix, parts)),
    ...(pairs.length > 0 ? ['<h2>Two faults in one run</h2>', list(pairs, parts)] : []),
    ...(findings.neverReached.length > 0
      ? [`<p>${text(`never reached: ${findings.neverReached.join('; ')}`)}</p>`]
      : []),
    ...exploration.oftener.map((line) => `<p>${text(line)}</p>`),
    ...notPossible(exploration),
    '</body></html>',
    '',
  ].join('\n');
}

function summary({ plain }: Exploration, findings: ExplorationFindings): string {
  const { failures, survived, known, unstable } = findings;
  const said = plain.sales.some(({ beliefs }) => beliefs.length > 0) ? 'said' : 'not said';
  return [
    failures.length === 0 ? 'No failures' : failureCountText(findings),
    `${survived.length} survived`,
    ...(known.length > 0 ? [`${known.length} known`] : []),
    ...(unstable.length > 0 ? [`${unstable.length} unstable`] : []),
    `beliefs: ${said}`,
  ].join(', ');
}

function failure({ shown, also, cause }: FailureGroup, parts: PageParts): string {
  const schedule = scheduleText(shown.schedule);
  return [
    `<section class="failure"><h2>✗ ${text(shown.verdict.says)}</h2><dl>`,
    `<dt>when</dt><dd>${link(shown, parts, describeSchedule(shown.schedule))}</dd>`,
    ...(also.length > 0
      ? [`<dt>also</dt><dd>${also.map((one) => link(one, parts, exploredScheduleText(one))).join(', ')}</dd>`]
      : []),
    `<dt>cause</dt><dd>${cause.lines.map(text).join('<br>')}</dd>`,
    `<dt>mend</dt><dd>${text(cause.mend)}</dd>`,
    `<dt>again</dt><dd><code>${text(parts.again(schedule))}</code></dd></dl>`,
    shown.run.output.length > 0
      ? `<details><summary>its output</summary><pre>${text(shown.run.output.join('\n'))}</pre></details>`
      : '',
    '</section>',
  ].join('\n');
}

function legend(): string {
  const all = Object.entries(marks).map(
    ([word, { mark, says }]) => `<span class="${word}">${mark}</span> ${text(says)}`,
  );
  return `<p class="legend">${all.join(' &nbsp; ')}. A mark opens the trace of its run, if the trace was kept.</p>`;
}

function table({ group, faults, rows }: Matrix, parts: PageParts): string {
  const head = faults.map((fault) => `<th scope="col"><span>${text(fault)}</span></th>`).join('');
  const lines = rows.map(({ moment, cells }) => {
    const tds = cells.map((cell, index) => td(cell, `${faults[index]}@${moment}`, parts));
    return `<tr><th scope="row">${text(moment)}</th>${tds.join('')}</tr>`;
  });
  return [
    `<h2>${text(group)}</h2><div class="wide"><table><thead><tr><td></td>${head}</tr></thead><tbody>`,
    ...lines,
    '</tbody></table></div>',
  ].join('\n');
}

function td(cell: Matrix['rows'][number]['cells'][number], name: string, parts: PageParts): string {
  if (cell === undefined) return '<td></td>';
  if (cell === 'notRun')
    return `<td class="notRun" title="${text(`${name}: ${marks.notRun.says}`)}">${marks.notRun.mark}</td>`;
  const word = outcomeWordOf(cell, parts.findings);
  const says = `${exploredScheduleText(cell)}: ${marks[word].says}. ${cell.verdict.says}`;
  return `<td class="${word}">${link(cell, parts, marks[word].mark, says)}</td>`;
}

function list(runs: readonly ExploredSchedule[], parts: PageParts): string {
  const items = runs.map((one) => {
    const word = outcomeWordOf(one, parts.findings);
    return `<li><span class="${word}">${marks[word].mark}</span> ${link(one, parts, exploredScheduleText(one))}: ${text(one.verdict.says)}</li>`;
  });
  return `<ul>${items.join('\n')}</ul>`;
}

function notPossible({ impossible }: Exploration): string[] {
  if (impossible.size === 0) return [];
  const items = [...impossible].map(([group, why]) => `<li>${text(group)}: ${text(why)}</li>`);
  return ['<h2>Not possible here</h2>', `<ul>${items.join('')}</ul>`];
}

/** Returns a label. If the run has a trace, the label is a link to the trace. */
function link(one: ExploredSchedule, { trace }: PageParts, label: string, says = ''): string {
  const to = trace(one);
  const title = says === '' ? '' : ` title="${text(says)}" aria-label="${text(says)}"`;
  if (to === undefined) return `<span${title}>${text(label)}</span>`;
  return `<a href="${text(to)}"${title}>${text(label)}</a>`;
}
