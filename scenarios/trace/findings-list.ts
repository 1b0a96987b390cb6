import type { Finding } from '../lint/lint-journal.ts';
import { type Html, html } from './html.ts';

/** Lint's findings for the sender of the requests (docs/lint.md), each with the lines that show it. */
export function findingsList(findings: readonly Finding[]): Html {
  return html`<details class="why" id="findings"><summary>What the point of sale does that goes wrong in the field (${findings.length})</summary><ul>${findings.map(
    ({ rule, what, why, fix, entries }) =>
      html`<li><strong>${rule}</strong>: ${what} (${entries.map((seq, index) => html`${index > 0 && ', '}<a href="#e${seq}">#${seq}</a>`)})<br>${why}<br>${fix}</li>`,
  )}</ul></details>`;
}
