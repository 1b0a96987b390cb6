import type { JournalEntry } from '../journal.ts';
import { SaleAssembler } from '../sales/sales.ts';
import type { Finding } from './finding.ts';
import { type LintOptions, lintJournal } from './lint-journal.ts';
import { findWholeSaleFindings } from './whole-sale-findings.ts';

/**
 * Returns the findings of {@link lintJournal}, and then the findings about sales as a whole (B255). A sale is left out
 * if all of its known requests are ignored. A sale without known requests is judged.
 */
export function lintWithSales(entries: readonly JournalEntry[], options: LintOptions = {}): Finding[] {
  const { ignore = () => false } = options;
  const sales = new SaleAssembler();
  for (const entry of entries) sales.add(entry);
  const judged = sales
    .list()
    .filter(
      ({ own, calls }) =>
        own === null && (calls.length === 0 || calls.some(({ requestId }) => !ignore(requestId))),
    );
  return [...lintJournal(entries, options), ...judged.flatMap(findWholeSaleFindings)];
}
