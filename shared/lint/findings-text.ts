import { isoTime } from '../clock.ts';
import { printable } from '../printable.ts';
import type { Finding } from './lint-journal.ts';

/** Occurrences of one rule shown before "and so many more". */
const shownOfEach = 5;

/** A finding, and the scenario it was seen in where there are several. */
type ScenarioFinding = Finding & { readonly scenario?: string };

/** Findings for people: rule by rule, what was seen, why it matters, what to do. */
export function findingsText(findings: readonly ScenarioFinding[]): string {
  if (findings.length === 0) return 'Nothing to complain about.';
  const byRule = Map.groupBy(findings, ({ rule }) => rule);
  const parts = [...byRule].map(([rule, found]) => {
    const [first] = found;
    const more = found.length - shownOfEach;
    return [
      `${rule} (${found.length}, ${first?.severity})`,
      ...found.slice(0, shownOfEach).map((each) => printable(occurrence(each))),
      ...(more > 0 ? [`  … and ${more} more`] : []),
      `  why: ${first?.why}`,
      `  fix: ${first?.fix} (docs/lint.md#${rule})`,
    ].join('\n');
  });
  const count = findings.length === 1 ? '1 finding' : `${findings.length} findings`;
  return `${parts.join('\n\n')}\n\n${count}`;
}

function occurrence({ at, what, payment, entries, scenario }: ScenarioFinding): string {
  if (scenario !== undefined) return `  ${scenario}: ${what}`;
  const of = payment === undefined ? '' : `, payment ${payment}`;
  return `  ${isoTime(at).slice(11, 23)} ${what} (entries ${entries.join(', ')}${of})`;
}
