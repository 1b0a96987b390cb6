import { randomUUID } from 'node:crypto';
import {
  OutcomeUnknownError,
  PaymentRefusedError,
  type PaymentResult,
  type PaymentsClient,
} from './payments-client.ts';
import type { Sale, SaleStore } from './sale-store.ts';

/**
 * The text that the cashier sees for each error condition. If a condition is not in this list, the cashier sees its
 * name.
 */
const messages: Record<string, string> = {
  refusal: 'Declined. Ask for another card.',
  wrongPin: 'Wrong PIN. Ask for another card.',
  invalidCard: 'This card cannot be used.',
  paymentRestriction: 'This card is not accepted here.',
  cancel: 'The customer cancelled.',
  aborted: 'Cancelled at the POS.',
  busy: 'The terminal is busy with another payment.',
  insertedCard: 'Take the card out of the terminal first.',
  unreachableHost: 'The bank could not be reached. Try again.',
  deviceOut: 'The terminal is out of order.',
};

/** The sales of a shop. */
export class Sales {
  #payments: PaymentsClient;
  #store: SaleStore;
  #sales = new Map<string, Sale>();
  /** The sales whose outcome the POS is waiting for. */
  #underWay = new Map<string, Promise<Sale>>();

  constructor(payments: PaymentsClient, store: SaleStore) {
    this.#payments = payments;
    this.#store = store;
    for (const sale of store.all()) this.#sales.set(sale.id, sale);
  }

  get(id: string): Sale | undefined {
    return this.#sales.get(id);
  }

  /** Begins the payment of a sale. Stores the sale with its key on disk before it sends the payment. */
  open(amount: number, { tip = false } = {}): Sale {
    const sale: Sale = {
      id: randomUUID(),
      amount,
      key: randomUUID(),
      state: 'open',
      message: 'At the terminal.',
      ...(tip && { asksForTip: true }),
    };
    this.#keep(sale);
    this.#follow(sale, () => this.#concludedBy(sale, this.#payments.pay(sale)));
    return sale;
  }

  /** Waits while the POS asks for the sale's outcome, and then resolves to the sale. */
  async settled(id: string): Promise<Sale | undefined> {
    return (await this.#underWay.get(id)) ?? this.get(id);
  }

  /**
   * Asks for the outcome of a sale that is still open, because the POS crashed or the service did not answer for a long
   * time.
   */
  check(sale: Sale): void {
    if (sale.state === 'open')
      this.#follow(sale, () => this.#concludedBy(sale, this.#payments.recover(sale)));
  }

  /** Call this after a crash. It asks for the outcome of every sale that is still open. */
  recover(): void {
    for (const sale of this.#sales.values()) this.check(sale);
  }

  /**
   * Asks the service to abort the payment. This may come too late, so only the sale's state says whether the customer
   * has paid. If the POS no longer waits for the outcome, it asks for the outcome again, even if the abort fails.
   */
  async cancel(sale: Sale): Promise<void> {
    this.#change(sale, { cancelled: true, message: 'Being cancelled.' });
    try {
      await this.#payments.abort(sale.key);
    } finally {
      this.check(this.get(sale.id) ?? sale);
    }
  }

  #follow(sale: Sale, work: () => Promise<Sale>): void {
    if (this.#underWay.has(sale.id)) return;
    const done = work()
      .catch((error: Error) => this.#unknown(sale, error))
      .finally(() => this.#underWay.delete(sale.id));
    this.#underWay.set(sale.id, done);
  }

  async #concludedBy(sale: Sale, payment: Promise<PaymentResult>): Promise<Sale> {
    try {
      return this.#concluded(sale, await payment);
    } catch (error) {
      if (!(error instanceof PaymentRefusedError)) throw error;
      return this.#change(sale, { state: 'notPaid', message: `Not possible: ${error.message}` });
    }
  }

  /**
   * Keeps the sale open, because the outcome is unknown. If a POS guessed the outcome, the shop could lose its goods,
   * or charge the customer twice.
   */
  #unknown(sale: Sale, error: Error): Sale {
    if (!(error instanceof OutcomeUnknownError)) console.error(error);
    return this.#change(sale, {
      message: 'It is not known yet whether the customer paid. Do not take the money again; check the sale.',
    });
  }

  #concluded(sale: Sale, { identifier, response, paymentResult }: PaymentResult): Sale {
    if (response.result !== 'success') {
      const condition = response.errorCondition ?? 'unknown';
      return this.#change(sale, {
        state: 'notPaid',
        message: messages[condition] ?? `Not paid: ${condition}.`,
      });
    }
    const tip = paymentResult?.amountsResp?.tipAmount;
    return this.#change(sale, {
      state: 'paid',
      // If the cashier cancelled the sale, the text must say that the customer was charged all the same.
      message: this.get(sale.id)?.cancelled ? 'Paid: the cancellation came too late.' : 'Paid.',
      payment: identifier,
      ...(tip !== undefined && { tip }),
    });
  }

  #change(sale: Sale, changes: Partial<Sale>): Sale {
    const changed = { ...(this.get(sale.id) ?? sale), ...changes };
    this.#keep(changed);
    return changed;
  }

  #keep(sale: Sale): void {
    this.#store.put(sale);
    this.#sales.set(sale.id, sale);
  }
}
