import type { PaymentReferences } from '../payment/payment-order.ts';

/**
 * A payment, from the arrival of its request to its outcome. The payment's state machine knows the payment only for a
 * part of this time.
 */
export interface CurrentPayment {
  readonly sale: PaymentReferences;
  /** Resolves when the payment is stored in the memory. */
  noted: Promise<void>;
  aborted: boolean;
  /** The id by which the host knows the last authorization attempt. */
  attemptId?: string;
}

/**
 * The data about its payments that a terminal forgets in a power cut. The payment's state machine contains further such
 * data.
 */
export class VolatileState {
  current: CurrentPayment | undefined;
  #listener: { broke(error: unknown): void };
  /** Stands for the time since the power was switched on. When the power is cut, a new object replaces this one. */
  #power = {};
  #cut: AbortController | undefined;

  /** @param listener is called if the memory cannot be written. The terminal must then start again */
  constructor(listener: { broke(error: unknown): void }) {
    this.#listener = listener;
  }

  lose(): void {
    this.#power = {};
    this.current = undefined;
    this.#cut?.abort();
    this.#cut = undefined;
  }

  /** A signal that aborts at the next power cut. */
  get signal(): AbortSignal {
    this.#cut ??= new AbortController();
    return this.#cut.signal;
  }

  /** Returns a function that says whether the power has been on without a break since this call. */
  watchPower(): () => boolean {
    const power = this.#power;
    return () => power === this.#power;
  }

  /** Calls `then` after a write, unless the power failed during the write. */
  afterWrite(written: Promise<void>, then: () => void): void {
    const stillOn = this.watchPower();
    written
      .then(() => {
        if (stillOn()) then();
      })
      .catch((error) => {
        if (stillOn()) this.#listener.broke(error);
      });
  }
}
