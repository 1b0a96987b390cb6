import type { StoredAttempt, StoredSalePayments } from '../../shared/sales/stored-attempts.ts';
import type { StoredTerminalSaleReader } from './stored-payments.ts';

/** The maximum number of sales in one reading. */
const atOnce = 200;

/**
 * Reads the beginning of a sale if the journal has only the end of the sale. This happens if some payments of the sale
 * were made before a restart, or if many payments share a reference. Each sale is read once, when the journal gets the
 * sale's first payment. So a stream of sales shows the same sales as a list (B401).
 */
export class SaleBeginningReader {
  readonly #stored: Pick<StoredTerminalSaleReader, 'salesOf'>;
  readonly #learn: (sale: StoredSalePayments<StoredAttempt>) => void;
  #wanted = new Set<string>();
  #isAsking = false;
  #isOver = false;

  /**
   * @param learn is called with a sale from the store. The store may have payments of this sale that the journal does
   * not have
   */
  constructor(
    stored: Pick<StoredTerminalSaleReader, 'salesOf'>,
    learn: (sale: StoredSalePayments<StoredAttempt>) => void,
  ) {
    this.#stored = stored;
    this.#learn = learn;
  }

  /** Reads the sale of a payment. The sales of payments from the same turn of the event loop are read together. */
  ask(payment: string): void {
    if (this.#isOver) return;
    this.#wanted.add(payment);
    if (!this.#isAsking) void this.#askAll();
  }

  /** Stops reading. */
  stop(): void {
    this.#isOver = true;
    this.#wanted.clear();
  }

  async #askAll(): Promise<void> {
    this.#isAsking = true;
    try {
      while (this.#wanted.size > 0) {
        // The reader waits here for one turn of the event loop. In the meantime other sales may be added to the same
        // reading, and a request for a page of sales is handled first.
        await new Promise((resolve) => setImmediate(resolve));
        const some = [...this.#wanted].slice(0, atOnce);
        for (const payment of some) this.#wanted.delete(payment);
        for (const sale of await this.#stored.salesOf(some))
          if (!this.#isOver && (sale.crowd || sale.payments.length > 1)) this.#learn(sale);
      }
    } catch {
      // This error is ignored. A request for the list of sales would get the same error.
      this.#wanted.clear();
    } finally {
      this.#isAsking = false;
    }
  }
}
