import type { PaymentReferences } from '../payment/payment-order.ts';

/** A payment from the arrival of its request to its outcome. The machine knows it for a shorter time. */
export interface CurrentPayment {
  readonly sale: PaymentReferences;
  /** Resolves once it is in the memory. */
  noted: Promise<void>;
  aborted: boolean;
  /** The last attempt at the host. */
  attemptId?: string;
}

/** The state of a terminal's payments that a power cut destroys, apart from what their machine holds. */
export class VolatileState {
  current: CurrentPayment | undefined;
  #listener: { broke(error: unknown): void };
  /** A new object after each power cut. */
  #power = {};
  #cut: AbortController | undefined;

  /** @param listener is told if the memory cannot be written: the terminal has to start again then */
  constructor(listener: { broke(error: unknown): void }) {
    this.#listener = listener;
  }

  lose(): void {
    this.#power = {};
    this.current = undefined;
    this.#cut?.abort();
    this.#cut = undefined;
  }

  /** Aborts with the next power cut. */
  get signal(): AbortSignal {
    this.#cut ??= new AbortController();
    return this.#cut.signal;
  }

  /** Gives a function that says whether the power has been on ever since. */
  watch(): () => boolean {
    const power = this.#power;
    return () => power === this.#power;
  }

  /** Calls `then` after a write, if the power is still on. */
  after(written: Promise<void>, then: () => void): void {
    const stillOn = this.watch();
    written
      .then(() => {
        if (stillOn()) then();
      })
      .catch((error) => {
        if (stillOn()) this.#listener.broke(error);
      });
  }
}
