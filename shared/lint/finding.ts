import type { SaleFinding } from '../sales/sale.ts';
import type { LintRule, Seen, Severity } from './rule.ts';

/** Something a point of sale does that will go wrong in the field. */
export interface Finding {
  readonly rule: string;
  readonly severity: Severity;
  /** What was seen; where it was seen more than once, the first time. */
  readonly what: string;
  readonly why: string;
  /** What to do, in a sentence. */
  readonly fix: string;
  /** The section that explains the rule. */
  readonly link: string;
  /** How often it was seen. */
  readonly count: number;
  /** The journal's entries that show it, by seq. */
  readonly entries: readonly number[];
  /** When it was first seen, epoch milliseconds of the journal's clock. */
  readonly at: number;
  readonly payment?: string;
}

/** So many entries are named of what was seen again and again. */
const mostEntries = 50;

/** Occurrences of one rule as findings: those of one cause are one (B254). */
export function groupFindings(rule: LintRule, occurrences: readonly Seen[]): Finding[] {
  const causes = new Map<unknown, Seen[]>();
  for (const seen of occurrences) {
    const cause = seen.cause ?? seen;
    const known = causes.get(cause);
    if (known) known.push(seen);
    else causes.set(cause, [seen]);
  }
  return [...causes.values()].map((all) => findingOf(rule, all as [Seen, ...Seen[]]));
}

function findingOf(
  { id, severity, why, fix, fixInNexo = fix }: LintRule,
  all: readonly [Seen, ...Seen[]],
): Finding {
  const [first] = all;
  const count = all.length;
  const entries = all.flatMap((seen) => seen.entries.map(({ seq }) => seq));
  return {
    rule: id,
    severity,
    what: first.what,
    why,
    fix: first.fix ?? (first.of?.isOfDialect ? fixInNexo : fix),
    link: linkOf(id),
    count,
    entries: [...new Set(entries)].slice(0, mostEntries),
    at: first.entries[0]?.at ?? 0,
    ...(first.payment === undefined ? {} : { payment: first.payment }),
  };
}

/** Rules about a sale as a whole, which no request shows. */
const aboutSales = new Set(['wrong-belief', 'shared-reference']);

/** The section that explains a rule. */
export function linkOf(rule: string): string {
  return `docs/${aboutSales.has(rule) ? 'sales' : 'lint'}.md#${rule}`;
}

/** What a finding says at a sale. */
export function foundAbout({ rule, severity, what, fix, count }: Finding): SaleFinding {
  return { rule, severity, what, fix, count };
}
