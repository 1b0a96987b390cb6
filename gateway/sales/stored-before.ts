import type { StoredAttempt, StoredSale } from '../../shared/sales/stored-attempts.ts';
import type { StoredPayments } from './stored-payments.ts';

/** As many are asked for at once. */
const atOnce = 200;

/**
 * What the store has of sales that the journal knows the end of: a payment before a restart, or a crowd that shares a reference. It
 * is asked once a sale, when its first payment is in the journal, so that who follows the sales sees what who lists them sees (B401).
 */
export class StoredBefore {
  readonly #stored: Pick<StoredPayments, 'salesOf'>;
  readonly #learn: (sale: StoredSale<StoredAttempt>) => void;
  #wanted = new Set<string>();
  #isAsking = false;
  #isOver = false;

  /** @param learn is told of a sale of which the store may know more */
  constructor(stored: Pick<StoredPayments, 'salesOf'>, learn: (sale: StoredSale<StoredAttempt>) => void) {
    this.#stored = stored;
    this.#learn = learn;
  }

  /** Asks for the sale of a payment, together with others that are asked for meanwhile. */
  ask(payment: string): void {
    if (this.#isOver) return;
    this.#wanted.add(payment);
    if (!this.#isAsking) void this.#askAll();
  }

  /** Asks for nothing more. */
  stop(): void {
    this.#isOver = true;
    this.#wanted.clear();
  }

  async #askAll(): Promise<void> {
    this.#isAsking = true;
    try {
      while (this.#wanted.size > 0) {
        // What is read in one turn is asked for together, after the page that somebody waits for.
        await new Promise((resolve) => setImmediate(resolve));
        const some = [...this.#wanted].slice(0, atOnce);
        for (const payment of some) this.#wanted.delete(payment);
        for (const sale of await this.#stored.salesOf(some))
          if (!this.#isOver && (sale.crowd || sale.payments.length > 1)) this.#learn(sale);
      }
    } catch {
      this.#wanted.clear(); // the store cannot be read; who lists the sales is told so
    } finally {
      this.#isAsking = false;
    }
  }
}
