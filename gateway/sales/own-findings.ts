import type { Finding } from '../../shared/lint/finding.ts';
import { ownFindings } from '../../shared/lint/own-findings.ts';
import { RecentlyUsed } from '../../shared/recently-used.ts';
import type { Sales } from '../../shared/sales/sales.ts';
import type { ToldFindings } from '../findings/told-findings.ts';

/** The most sales with findings of their own that are kept. */
const most = 1_000;

/** The findings about sales as a whole: about beliefs, and about references that sales share (B255). */
export class OwnFindings {
  readonly #told: ToldFindings | undefined;
  #found = new RecentlyUsed<readonly Finding[]>(most);

  /** `told` is undefined if nothing is judged. */
  constructor(told: ToldFindings | undefined) {
    this.#told = told;
  }

  /** Forgets all findings, because the sales are put together anew. */
  again(): void {
    this.#found = new RecentlyUsed(most);
  }

  /** Judges sales that have changed. */
  judge(sales: Sales, saleIds: readonly string[]): void {
    if (!this.#told) return;
    for (const saleId of saleIds) {
      const sale = sales.ifSingular(saleId);
      if (!sale) continue;
      const found = ownFindings(sale);
      if (found.length === 0) this.#found.delete(saleId);
      else this.#found.set(saleId, found);
      this.#told.tellOfSale(saleId, found);
    }
  }

  list(): Finding[] {
    return [...this.#found.values()].flat();
  }
}
