import type { Finding } from '../../shared/lint/finding.ts';
import { findWholeSaleFindings } from '../../shared/lint/whole-sale-findings.ts';
import { RecentlyUsedCache } from '../../shared/recently-used.ts';
import type { SaleAssembler } from '../../shared/sales/sales.ts';
import type { FindingReporter } from '../findings/finding-reporter.ts';

/** The maximum number of sales for which findings are kept here. */
const mostSales = 1_000;

/**
 * The findings that are about a whole sale, not about a single request. They concern the belief of the POS about the
 * sale, or a reference that several sales share (B255).
 */
export class WholeSaleFindings {
  readonly #reporter: FindingReporter | undefined;
  #found = new RecentlyUsedCache<readonly Finding[]>(mostSales);

  /** `reporter` receives the findings. If it is undefined, this object does not look for mistakes. */
  constructor(reporter: FindingReporter | undefined) {
    this.#reporter = reporter;
  }

  /** Forgets all findings, because the sales are made again from the journal. */
  reset(): void {
    this.#found = new RecentlyUsedCache(mostSales);
  }

  /** Looks for mistakes in sales that have changed. */
  judge(sales: SaleAssembler, saleIds: readonly string[]): void {
    if (!this.#reporter) return;
    for (const saleId of saleIds) {
      const sale = sales.ifSingular(saleId);
      if (!sale) continue;
      const found = findWholeSaleFindings(sale);
      if (found.length === 0) this.#found.delete(saleId);
      else this.#found.set(saleId, found);
      this.#reporter.reportForSale(saleId, found);
    }
  }

  list(): Finding[] {
    return [...this.#found.values()].flat();
  }
}
