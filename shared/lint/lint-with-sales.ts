import type { JournalEntry } from '../journal.ts';
import { Sales } from '../sales/sales.ts';
import type { Finding } from './finding.ts';
import { type LintOptions, lintJournal } from './lint-journal.ts';
import { wholeSaleFindings } from './whole-sale-findings.ts';

/**
 * Returns the findings of {@link lintJournal}, and then the findings about sales as a whole (B255): about sales with a
 * request that is judged, and about sales without a known request.
 */
export function lintWithSales(entries: readonly JournalEntry[], options: LintOptions = {}): Finding[] {
  const { ignore = () => false } = options;
  const sales = new Sales();
  for (const entry of entries) sales.add(entry);
  const judged = sales
    .list()
    .filter(
      ({ own, calls }) =>
        own === null && (calls.length === 0 || calls.some(({ requestId }) => !ignore(requestId))),
    );
  return [...lintJournal(entries, options), ...judged.flatMap(wholeSaleFindings)];
}
