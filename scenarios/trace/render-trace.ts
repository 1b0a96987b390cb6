import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import type { JournalEntry } from '../../shared/journal.ts';
import { maskCardNumbers } from '../../shared/masking/card-numbers.ts';
import type { Finding } from '../lint/lint-journal.ts';
import { failurePanel, type TraceFailure } from './failure-panel.ts';
import { findingsList } from './findings-list.ts';
import { Html, html } from './html.ts';
import { lanes, laneTitles } from './lanes.ts';
import { outcomesTable } from './outcomes-table.ts';
import { pauseOf } from './pause.ts';
import { rowOf } from './rows.ts';

/** A step of a scenario that was run. */
export interface TraceStep {
  /** As it stands in the file. */
  readonly text: string;
  readonly at: { readonly file: string; readonly line: number };
  /** The journal's last seq before it began. */
  readonly seq: number;
}

/** What a trace shows. */
export interface TracedRun {
  readonly title: string;
  readonly entries: readonly JournalEntry[];
  readonly steps?: readonly TraceStep[];
  readonly failure?: TraceFailure;
  /** What the point of sale did that will go wrong in the field, of `lintJournal`. */
  readonly findings?: readonly Finding[];
  /** Where a page of a running gateway receives further entries; without it the page needs nothing but itself. */
  readonly live?: string;
}

const asset = (name: string) => readFileSync(new URL(`page/${name}`, import.meta.url), 'utf8');

/**
 * A run as one self-contained HTML page: lanes of who said what to whom, what the terminals showed, why payments
 * came out as they did. Nothing in it is fetched, and nothing but its own script can run.
 *
 * @example
 * writeFileSync('trace.html', renderTrace({ title: 'Wrong PIN', entries: stack.runtime.journal.since() }));
 */
export function renderTrace(run: TracedRun): string {
  const style = asset('page.css');
  const script = asset('page.js');
  const policy = [
    "default-src 'none'",
    `style-src '${hashOf(style)}'`,
    `script-src '${hashOf(script)}'`,
    ...(run.live ? ["connect-src 'self'"] : []),
    "base-uri 'none'",
    "form-action 'none'",
  ].join('; ');
  return html`<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta http-equiv="Content-Security-Policy" content="${policy}">
<meta name="viewport" content="width=device-width"><meta name="color-scheme" content="light dark"><meta name="referrer" content="no-referrer">
<title>${run.title} - pinpad trace</title><style>${new Html(style)}</style></head>
<body data-live="${run.live}">
<header><h1>${run.title}</h1>${run.failure && failurePanel(run.failure)}
<details class="why" open><summary>Payments, and why they came out so</summary><div id="outcomes">${outcomesTable(run.entries)}</div></details>${run.findings && run.findings.length > 0 && findingsList(run.findings)}</header>
<div class="top">${toolbar}<div class="lanes" aria-hidden="true"><span>Time</span>${lanes.map((lane) => html`<span>${laneTitles[lane]}</span>`)}</div></div>
<main><section class="trace" aria-label="What happened">
<ol id="rows">${rowsWithSteps(run)}</ol><p class="none" id="nothing" hidden>Nothing fits the filter.</p></section>
<aside aria-label="Terminals at this moment"><h2>Terminals at <span id="moment"></span></h2><div id="screens"></div></aside></main>
<script>${new Html(script)}</script></body></html>
`.text;
}

const toolbar = html`<form class="tools" id="tools" role="search" aria-label="Filter the trace">
<label>Find <input type="search" id="text" placeholder="text, / to go here" autocomplete="off"></label>
<label>Payment <select id="payment"><option value="">all</option></select></label>
<fieldset><legend>Lanes</legend>${lanes.map((lane) => html`<label><input type="checkbox" name="lane" value="${lane}" checked> ${laneTitles[lane]}</label>`)}</fieldset>
<label><input type="checkbox" id="details"> small print</label>
<label class="scrub">Moment <input type="range" id="scrubber" min="0" max="0" value="0" step="1"></label>
<output id="count" role="status"></output>
<p class="keys"><kbd>↑</kbd> <kbd>↓</kbd> move · <kbd>Enter</kbd> open · <kbd>/</kbd> find · <kbd>f</kbd> failure · <kbd>Esc</kbd> clear</p></form>`;

/** The entries, with each step before what it caused. */
function rowsWithSteps({ entries, steps = [], failure }: TracedRun): Html[] {
  const failing =
    failure && steps.findLast(({ at }) => at.file === failure.at.file && at.line === failure.at.line);
  const rows: Html[] = [];
  let next = 0;
  let before = entries[0]?.at ?? 0;
  for (const entry of entries) {
    for (let step = steps[next]; step && step.seq < entry.seq; step = steps[++next])
      rows.push(stepRow(step, step === failing));
    rows.push(...pauseOf(entry.at - before), rowOf(entry));
    before = entry.at;
  }
  return [...rows, ...steps.slice(next).map((step) => stepRow(step, step === failing))];
}

function stepRow({ text, at }: TraceStep, failed: boolean): Html {
  return html`<li class="step${failed ? ' failed' : ''}"${failed && new Html(' id="failing-step"')}><span class="place">${at.file}:${at.line}</span><pre>${maskCardNumbers(text)}</pre>${failed && html`<a href="#failure">failed here: expected and actual</a>`}</li>
`;
}

function hashOf(text: string): string {
  return `sha256-${createHash('sha256').update(text).digest('base64')}`;
}
