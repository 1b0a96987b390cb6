import type { StoredAttempt, StoredSale } from '../../shared/sales/stored-attempts.ts';
import type { StoredPayments } from './stored-payments.ts';

/** The most sales that are asked for at once. */
const atOnce = 200;

/**
 * Reads the beginning of sales of which the journal has only the end: a payment before a restart, or many that share a
 * reference. It asks the store once for each sale, when the sale's first payment is in the journal, so that a stream of
 * sales shows the same as a list (B401).
 */
export class StoredBefore {
  readonly #stored: Pick<StoredPayments, 'salesOf'>;
  readonly #learn: (sale: StoredSale<StoredAttempt>) => void;
  #wanted = new Set<string>();
  #isAsking = false;
  #isOver = false;

  /** @param learn is called with a sale of which the store may know more */
  constructor(stored: Pick<StoredPayments, 'salesOf'>, learn: (sale: StoredSale<StoredAttempt>) => void) {
    this.#stored = stored;
    this.#learn = learn;
  }

  /** Asks for the sale of a payment. Sales that are asked for in the same turn are read together. */
  ask(payment: string): void {
    if (this.#isOver) return;
    this.#wanted.add(payment);
    if (!this.#isAsking) void this.#askAll();
  }

  /** Stops asking. */
  stop(): void {
    this.#isOver = true;
    this.#wanted.clear();
  }

  async #askAll(): Promise<void> {
    this.#isAsking = true;
    try {
      while (this.#wanted.size > 0) {
        // The sales of one turn are asked for together, after the page for which a request waits.
        await new Promise((resolve) => setImmediate(resolve));
        const some = [...this.#wanted].slice(0, atOnce);
        for (const payment of some) this.#wanted.delete(payment);
        for (const sale of await this.#stored.salesOf(some))
          if (!this.#isOver && (sale.crowd || sale.payments.length > 1)) this.#learn(sale);
      }
    } catch {
      this.#wanted.clear(); // if the store cannot be read, a request for the list gets that error
    } finally {
      this.#isAsking = false;
    }
  }
}
