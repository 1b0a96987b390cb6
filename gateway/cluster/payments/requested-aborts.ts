import type { WaitEnd } from '../../payments/moving/waiters.ts';
import type { OpenPaymentRow } from '../../store/rows/payments.ts';
import type { GatewayStore } from '../../store/store.ts';
import type { PaymentHintBus } from './payment-hints.ts';

/** The columns in which gateways request and acknowledge the abort of an open payment. */
export type AbortColumns = Pick<OpenPaymentRow, 'payment_id' | 'abort_asked_at' | 'abort_acknowledged_at'>;

/**
 * Keeps track of the aborts that other gateways have requested for payments of this gateway, and informs those gateways
 * of the results.
 */
export class RequestedAborts {
  readonly #store: GatewayStore;
  readonly #paymentHints: PaymentHintBus;
  /** For each payment, the time of the last abort request that this gateway handled. */
  readonly #handled = new Map<string, number>();

  constructor({ store, paymentHints }: { store: GatewayStore; paymentHints: PaymentHintBus }) {
    this.#store = store;
    this.#paymentHints = paymentHints;
  }

  /** Returns whether another gateway has requested an abort that was not handled yet. */
  isPending({ payment_id, abort_asked_at, abort_acknowledged_at }: AbortColumns): boolean {
    if (abort_asked_at === null || abort_asked_at <= (abort_acknowledged_at ?? 0)) return false;
    return this.#handled.get(payment_id) !== abort_asked_at;
  }

  /** Aborts the payment with the function `abort`. If that fails, the request for the abort counts as not handled. */
  async carryOut({ payment_id, abort_asked_at }: AbortColumns, abort: () => unknown): Promise<void> {
    this.#handled.set(payment_id, abort_asked_at ?? 0);
    try {
      await abort();
    } catch (error) {
      this.#handled.delete(payment_id);
      throw error;
    }
  }

  /** Tells other gateways that the terminal has acknowledged the abort, or that the payment has ended. */
  async tell(paymentId: string, end: WaitEnd): Promise<void> {
    if (end.by === 'result') {
      this.#handled.delete(paymentId);
      this.#paymentHints.tell(paymentId, true, end.outcome);
    }
    const asked = this.#handled.get(paymentId);
    if (end.by !== 'abortAcknowledged' || asked === undefined) return;
    await this.#store.beside((db) =>
      db
        .updateTable('open_payments')
        .set({ abort_acknowledged_at: asked })
        .where('payment_id', '=', paymentId)
        .execute(),
    );
    this.#paymentHints.tell(paymentId, false);
  }

  forget(paymentId: string): void {
    this.#handled.delete(paymentId);
  }
}
