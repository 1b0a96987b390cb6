import type { SaleFinding } from '../sales/sale.ts';
import type { LintRule, Occurrence, Severity } from './rule.ts';

/** A mistake of a point of sale that will do harm in the field. */
export interface Finding {
  readonly rule: string;
  readonly severity: Severity;
  /** The mistake that was seen. If it was seen more than once, this describes the first time. */
  readonly what: string;
  readonly why: string;
  /** The thing to do, in a sentence. */
  readonly fix: string;
  /** A link to the section that explains the rule. */
  readonly link: string;
  /** How often the mistake was seen. */
  readonly count: number;
  /** The numbers of the journal's entries that show the mistake. */
  readonly entries: readonly number[];
  /** The moment when the mistake was first seen, in epoch milliseconds of the journal's clock. */
  readonly at: number;
  readonly payment?: string;
}

/** The maximum number of entries that a finding lists. */
const mostEntries = 50;

/** Turns the occurrences of one rule into findings. Occurrences that have the same cause become one finding (B254). */
export function groupFindings(rule: LintRule, occurrences: readonly Occurrence[]): Finding[] {
  const causes = Map.groupBy(occurrences, (seen) => seen.cause ?? seen);
  return [...causes.values()].map((all) => findingOf(rule, all as [Occurrence, ...Occurrence[]]));
}

function findingOf(
  { id, severity, why, fix, fixInNexo = fix }: LintRule,
  all: readonly [Occurrence, ...Occurrence[]],
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
    link: ruleLinkOf(id),
    count,
    entries: [...new Set(entries)].slice(0, mostEntries),
    at: first.entries[0]?.at ?? 0,
    ...(first.payment === undefined ? {} : { payment: first.payment }),
  };
}

/** The rules about a sale as a whole. No single request breaks such a rule. */
const aboutSales = new Set(['wrong-belief', 'shared-reference']);

/** A link to the section that explains a rule. */
export function ruleLinkOf(rule: string): string {
  return `docs/${aboutSales.has(rule) ? 'sales' : 'lint'}.md#${rule}`;
}

/** The fields of a finding that are shown together with its sale. */
export function toSaleFinding({ rule, severity, what, fix, count }: Finding): SaleFinding {
  return { rule, severity, what, fix, count };
}
