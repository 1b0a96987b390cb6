import { maskCardNumbers } from '../../shared/masking/card-numbers.ts';
import { Html, html } from './html.ts';

/** Why a scenario failed; the runner's own report of it fits. */
export interface TraceFailure {
  /** The step as it stands in the file. */
  readonly step: string;
  readonly message: string;
  readonly at: { readonly file: string; readonly line: number };
  /** What each terminal shows, and the last entries of the journal. */
  readonly snapshot?: readonly string[];
}

/** `body.response.result: expected "success", was "failure"` */
const difference = /^(?:(.+?): )?expected (.+), (?:was (.+?)|(nothing is there))(?: \(waited .+\))?$/;

/** The failing step, what was expected and what there is. */
export function failurePanel({ step, message, at, snapshot = [] }: TraceFailure): Html {
  const lines = message.split('\n');
  const differences = lines.map((line) => difference.exec(line)).filter((found) => found !== null);
  const rest = lines.filter((line) => !difference.test(line) && !line.startsWith('saw '));
  const saw = lines.filter((line) => line.startsWith('saw '));
  return html`<section class="failure" id="failure" aria-labelledby="failed"><h2 id="failed">Failed at ${at.file}:${at.line}</h2>
<pre tabindex="0">${maskCardNumbers(step)}</pre>
${
  differences.length > 0 &&
  html`<table><thead><tr><th scope="col">Where</th><th scope="col">Expected</th><th scope="col">Actual</th></tr></thead><tbody>${differences.map(
    ([, where, expected, was, nothing]) =>
      html`<tr><td>${where ?? ''}</td><td class="expected">${expected}</td><td class="actual">${was ?? nothing}</td></tr>`,
  )}</tbody></table>`
}
${rest.map((line) => html`<p>${line}</p>`)}
${saw.length > 0 && html`<details${differences.length === 0 && new Html(' open')}><summary>All that was seen</summary>${saw.map((line) => html`<pre tabindex="0">${line.slice(4)}</pre>`)}</details>`}
${snapshot.length > 0 && html`<details><summary>The scene at that moment</summary><ul>${snapshot.map((line) => html`<li>${line}</li>`)}</ul></details>`}
<p><a id="to-failure" href="#failing-step">Show the failing step in the trace</a></p></section>`;
}
