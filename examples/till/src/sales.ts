import { randomUUID } from 'node:crypto';
import { PaymentRefused, type PaymentResult, type PaymentsClient } from './payments-client.ts';

export interface Sale {
  id: string;
  amount: number;
  /** Sent as Idempotency-Key. Written down before the first request, so that it is known after a crash. */
  key: string;
  state: 'open' | 'paid' | 'notPaid';
  /** What the cashier is told. */
  message: string;
}

/** What the cashier reads for each way a payment can fail; the rest is told by its name. */
const messages: Record<string, string> = {
  refusal: 'Declined. Ask for another card.',
  wrongPin: 'Wrong PIN. Ask for another card.',
  invalidCard: 'This card cannot be used.',
  cancel: 'The customer cancelled.',
  aborted: 'Cancelled at the till.',
  busy: 'The terminal is busy with another payment.',
  insertedCard: 'Take the card out of the terminal first.',
};

/** The sales of a shop. `store` stands for a database. */
export class Sales {
  #payments: PaymentsClient;
  #store: Map<string, Sale>;

  constructor(payments: PaymentsClient, store: Map<string, Sale> = new Map()) {
    this.#payments = payments;
    this.#store = store;
  }

  get(id: string): Sale | undefined {
    return this.#store.get(id);
  }

  open(amount: number): Sale {
    const sale: Sale = {
      id: randomUUID(),
      amount,
      key: randomUUID(),
      state: 'open',
      message: 'At the terminal',
    };
    this.#store.set(sale.id, sale);
    return sale;
  }

  /** Takes the payment of a sale; the sale knows in the end whether it is paid. */
  async pay(sale: Sale): Promise<Sale> {
    try {
      return this.#concluded(sale, await this.#payments.pay(sale.key, sale.amount));
    } catch (error) {
      if (!(error instanceof PaymentRefused)) throw error;
      return this.#change(sale, { state: 'notPaid', message: error.message });
    }
  }

  cancel(sale: Sale): Promise<void> {
    return this.#payments.abort(sale.key);
  }

  /** After a crash of the till: finds out what became of every sale that was at the terminal. */
  async recover(): Promise<void> {
    for (const sale of this.#store.values()) {
      if (sale.state !== 'open') continue;
      const result = await this.#payments.outcome(sale.key);
      if (result) this.#concluded(sale, result);
      else this.#change(sale, { state: 'notPaid', message: 'Never reached the terminal.' });
    }
  }

  #concluded(sale: Sale, { response }: PaymentResult): Sale {
    if (response.result === 'success') return this.#change(sale, { state: 'paid', message: 'Paid.' });
    const condition = response.errorCondition ?? 'unknown';
    return this.#change(sale, {
      state: 'notPaid',
      message: messages[condition] ?? `Not paid: ${condition}.`,
    });
  }

  #change(sale: Sale, changes: Partial<Sale>): Sale {
    const changed = { ...sale, ...changes };
    this.#store.set(sale.id, changed);
    return changed;
  }
}
