import { useMemo, useRef, useState } from 'preact/hooks';
import type { JournalEntry } from '../../../shared/journal.ts';
import type { Sale } from '../../../shared/sales/sale.ts';
import { callControl } from '../control.ts';
import { isOperatorRequest } from '../traffic/lanes.ts';
import { useControlQuery } from '../use-control-query.ts';

interface Page {
  readonly sales: readonly Sale[];
  readonly next?: string;
}

const kinds = /^(http|fault|payment|ledger|debit|refund|credit|belief|webhook|lint)\./;

/**
 * Whether an entry may mean that a sale has changed. Calls of the control API never change a sale, so their entries do
 * not count. Otherwise, each reading of the sales would cause another reading.
 */
const isAboutSales = (entry: JournalEntry) => kinds.test(entry.kind) && !isOperatorRequest(entry);

/** Reads the latest sales, and reads them again whenever a sale changes. Older sales are read on demand. */
export function useSales(count: number) {
  const { data, failed } = useControlQuery<Page>(`/sales?limit=${count}`, isAboutSales);
  const [older, setOlder] = useState<readonly Page[]>([]);
  const reading = useRef(false);
  const sales = useMemo(() => data && joined([data, ...older]), [data, older]);
  const readOlder = async () => {
    const next = older.length > 0 ? older.at(-1)?.next : data?.next;
    if (next === undefined || reading.current) return;
    reading.current = true;
    await callControl<Page>('GET', `/sales?limit=${count}&before=${encodeURIComponent(next)}`).then(
      (page) => setOlder((pages) => [...pages, page]),
      () => {}, // after a failure, the next scroll requests these sales again
    );
    reading.current = false;
  };
  return { sales, failed, readOlder };
}

/** Returns each sale once. If several pages contain the same sale, returns the sale of the most recent page. */
function joined(pages: readonly Page[]): readonly Sale[] {
  const known = new Map<string, Sale>();
  for (const { sales } of pages)
    for (const sale of sales) if (!known.has(sale.saleId)) known.set(sale.saleId, sale);
  return [...known.values()];
}
