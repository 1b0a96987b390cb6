import type { TracedSale } from '../../console/index.ts';
import type { JournalEntry } from '../../shared/journal.ts';
import { type Finding, toSaleFinding } from '../../shared/lint/finding.ts';
import { LiveLint } from '../../shared/lint/live-lint.ts';
import { RecentlyUsedCache } from '../../shared/recently-used.ts';
import type { PosRequest } from '../../shared/requests/pos-request.ts';
import type { Sale } from '../../shared/sales/sale.ts';
import { makeSaleLineParts } from '../../shared/sales/sale-line.ts';
import { SaleAssembler } from '../../shared/sales/sales.ts';

/** The maximum number of requests and payments whose first journal entry is remembered. */
const mostRequests = 20_000;

/**
 * The sales of a trace, each on one line as on pinpad's screen. Each sale has its findings and its first entry
 * (B361).
 */
export class TracedSales {
  readonly #sales = new SaleAssembler();
  readonly #lint = new LiveLint();
  readonly #blamed = new RecentlyUsedCache<Set<PosRequest>>(mostRequests);
  /** The first entry of each request and of each payment. */
  readonly #firstSeq = new RecentlyUsedCache<number>(mostRequests);

  /** Adds the next entry of the journal. Returns the sales that the entry changed. */
  add(entry: JournalEntry): TracedSale[] {
    const name = entry.kind === 'http.received' ? entry.data.requestId : entry.payment;
    if (name !== undefined && this.#firstSeq.get(name) === undefined) this.#firstSeq.set(name, entry.seq);
    const changed = new Set(this.#sales.add(entry));
    this.#lint.take(entry);
    if (this.#lint.isDue) for (const saleId of this.#judge(entry)) changed.add(saleId);
    return this.#those(changed);
  }

  /** Repeats the check of all requests up to the time of an entry. Returns the sales whose findings changed. */
  #judge({ at, realAt }: JournalEntry): Set<string> {
    const { requests } = this.#lint.judge({ until: at, realUntil: realAt ?? at }, false);
    const changed = new Set<string>();
    for (const request of requests) {
      const saleId = this.#sales.ofRequest(request)?.saleId;
      if (saleId === undefined) continue;
      this.#blamed.set(saleId, (this.#blamed.get(saleId) ?? new Set()).add(request));
      changed.add(saleId);
    }
    for (const saleId of changed)
      this.#sales.setFindings(saleId, this.#lint.findings(this.#blamed.get(saleId)).map(toSaleFinding));
    return changed;
  }

  /**
   * Uses the given findings instead of the findings that this object has made. The given findings are better, because
   * they were made after the point of sale had finished.
   */
  blame(findings: readonly Finding[], entries: readonly JournalEntry[]): void {
    const requestOf = new Map(
      entries.flatMap(({ seq, data }) =>
        'requestId' in data && data.requestId !== undefined ? [[seq, data.requestId] as const] : [],
      ),
    );
    for (const { saleId, calls } of this.#sales.list()) {
      const own = new Set(calls.map(({ requestId }) => requestId));
      const isOfIt = (finding: Finding) => finding.entries.some((seq) => own.has(requestOf.get(seq) ?? ''));
      this.#sales.setFindings(saleId, findings.filter(isOfIt).map(toSaleFinding));
    }
  }

  /** Returns the sales, the earliest first. */
  list(): TracedSale[] {
    const sales = this.#sales.list().map((sale) => this.#traced(sale));
    return sales.sort((one, other) => (one.seq ?? 0) - (other.seq ?? 0));
  }

  #those(saleIds: Iterable<string>): TracedSale[] {
    return [...saleIds].flatMap((saleId) => {
      const sale = this.#sales.get(saleId);
      return sale ? [this.#traced(sale)] : [];
    });
  }

  #traced(sale: Sale): TracedSale {
    const { saleId, callsText, outcome, outcomeText, told, findings } = sale;
    const names = [
      ...sale.calls.map(({ requestId }) => requestId),
      ...sale.attempts.map((one) => one.payment),
    ];
    const seqs = names.flatMap((name) => this.#firstSeq.get(name) ?? []);
    return {
      saleId,
      ...makeSaleLineParts(sale),
      calls: callsText,
      outcome,
      outcomeText,
      told,
      findings,
      seq: seqs.length === 0 ? undefined : Math.min(...seqs),
    };
  }
}

/**
 * Returns the sales of a complete list of entries. If the entries were already checked, `findings` are the results of
 * the check.
 */
export function makeTracedSales(
  entries: readonly JournalEntry[],
  findings?: readonly Finding[],
): TracedSale[] {
  const sales = new TracedSales();
  for (const entry of entries) sales.add(entry);
  if (findings) sales.blame(findings, entries);

  return sales.list();
}
