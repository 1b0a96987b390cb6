import type { Finding } from '../../shared/lint/finding.ts';
import { ownFindings } from '../../shared/lint/own-findings.ts';
import { RecentlyUsed } from '../../shared/recently-used.ts';
import type { Sales } from '../../shared/sales/sales.ts';
import type { ToldFindings } from '../findings/told-findings.ts';

/** So many sales are known with which something is wrong as a whole. */
const most = 1_000;

/** What is wrong with sales as a whole: what is believed of them, and whom they share a reference with (B255). */
export class OwnFindings {
  readonly #told: ToldFindings | undefined;
  #found = new RecentlyUsed<readonly Finding[]>(most);

  /** `told` is undefined where nothing is judged. */
  constructor(told: ToldFindings | undefined) {
    this.#told = told;
  }

  /** The sales are put together anew. */
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
