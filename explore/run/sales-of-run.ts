import type { JournalEntry } from '../../shared/journal.ts';
import type { Sale } from '../../shared/sales/sale.ts';
import { SaleAssembler } from '../../shared/sales/sales.ts';
import type { BeliefRelay } from './belief-relay.ts';

/**
 * Returns the sales of a run, read from the run's part of a gateway's journal. If an earlier run made a sale with the
 * same reference, the gateway treats both sales as one. In this case, the beliefs in the journal name the id of the
 * earlier sale. This function replaces that id by the id of the run's own sale.
 */
export function salesOfRun(
  entries: readonly JournalEntry[],
  accountId: string,
  beliefs: Pick<BeliefRelay, 'namesOf'>,
): Sale[] {
  const sales = new SaleAssembler();
  const own = (saleId: string) => {
    const names = beliefs.namesOf(saleId);
    if (!names || sales.get(saleId)) return saleId;
    const { payment, idempotencyKey: key, saleReferenceId: reference } = names;
    return sales.ofRequest({ requestId: '', accountId, payment, key, reference })?.saleId ?? saleId;
  };
  for (const entry of entries)
    sales.add(
      entry.kind === 'belief.stated'
        ? ({ ...plain(entry), data: { ...entry.data, saleId: own(entry.data.saleId) } } as JournalEntry)
        : entry,
    );
  return sales.list();
}

function plain({ seq, at, realAt, kind, terminal, payment }: JournalEntry) {
  return { seq, at, realAt, kind, terminal, payment };
}
