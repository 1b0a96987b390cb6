import type { JournalEntry } from '../journal.ts';
import { RecentlyUsedCache } from '../recently-used.ts';

/**
 * The payments whose outcome reached the point of sale in an event: the gateway sent the event, and the point of sale
 * accepted it. The point of sale need not ask for these outcomes (B460).
 */
export class DeliveredOutcomes {
  readonly #isConcluded: (payment: string) => boolean;
  readonly #paymentOf: RecentlyUsedCache<string>;
  readonly #taken: RecentlyUsedCache<true>;

  constructor(isConcluded: (payment: string) => boolean, most = Number.POSITIVE_INFINITY) {
    this.#isConcluded = isConcluded;
    this.#paymentOf = new RecentlyUsedCache(most);
    this.#taken = new RecentlyUsedCache(most);
  }

  /**
   * Reads an entry about an event. Returns the payment whose outcome the event contains, if the point of sale accepted
   * the event. An event that is published before a payment ends contains no outcome.
   */
  take(entry: JournalEntry<'event.published'> | JournalEntry<'webhook.attempted'>): string | undefined {
    if (entry.kind === 'event.published') {
      const { event, resource } = entry.data;
      if (this.#isConcluded(resource)) this.#paymentOf.set(event, resource);
      return undefined;
    }
    const { event, error, status = 0 } = entry.data;
    const payment = this.#paymentOf.get(event);
    if (payment === undefined || error !== undefined || status < 200 || status > 299) return undefined;
    this.#taken.set(payment, true);
    return payment;
  }

  has(payment: string): boolean {
    return this.#taken.get(payment) !== undefined;
  }
}
