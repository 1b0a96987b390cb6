import { isoTime } from '../clock.ts';
import { makePrintable } from '../printable.ts';
import type { Finding } from './finding.ts';

/** The maximum number of occurrences of one rule that are shown; the rest are only counted. */
const shownOfEach = 5;

/** A finding, with the name of its scenario if there are several scenarios. */
type ScenarioFinding = Finding & { readonly scenario?: string };

/** Writes findings for people: rule by rule, what was seen, why it matters, and what to do. */
export function findingsText(findings: readonly ScenarioFinding[]): string {
  if (findings.length === 0) return 'Nothing to complain about.';
  const byRule = Map.groupBy(findings, ({ rule }) => rule);
  const parts = [...byRule].map(([rule, found]) => {
    const [first] = found;
    const more = found.length - shownOfEach;
    const count = found.reduce((sum, each) => sum + each.count, 0);
    const fixes = new Set(found.map(({ fix }) => fix));
    return [
      `${rule} (${count}, ${first?.severity})`,
      ...found.slice(0, shownOfEach).map((each) => makePrintable(occurrence(each))),
      ...(more > 0 ? [`  … and ${more} more`] : []),
      `  why: ${first?.why}`,
      ...[...fixes].map((fix) => `  fix: ${fix} (${first?.link})`),
    ].join('\n');
  });
  const count = findings.length === 1 ? '1 finding' : `${findings.length} findings`;
  return `${parts.join('\n\n')}\n\n${count}`;
}

function occurrence({ at, what: seen, count, payment, entries, scenario }: ScenarioFinding): string {
  const what = count === 1 ? seen : `${seen} (${count} times)`;
  if (scenario !== undefined) return `  ${scenario}: ${what}`;
  const of = payment === undefined ? '' : `, payment ${payment}`;
  return `  ${isoTime(at).slice(11, 23)} ${what} (entries ${entries.join(', ')}${of})`;
}
