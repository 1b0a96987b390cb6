import { Observable } from '../observable.ts';
import type { TracedSale } from './trace-data.ts';

/** The sales of a trace, in the order in which they began. */
export class TracedSalesList extends Observable {
  #byId = new Map<string, TracedSale>();

  get sales(): readonly TracedSale[] {
    return [...this.#byId.values()];
  }

  /** Adds sales, or replaces them by their new state. */
  put(sales: readonly TracedSale[]): void {
    for (const sale of sales) this.#byId.set(sale.saleId, sale);
    this.changed();
  }
}
