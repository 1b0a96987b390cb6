import type { PaymentReferences } from '../payment/payment-order.ts';

/** A payment from the arrival of its request to its outcome; the machine knows it only between. */
export interface CurrentPayment {
  readonly sale: PaymentReferences;
  /** Resolves once it is in the memory. */
  noted: Promise<void>;
  aborted: boolean;
  /** The last attempt at the host. */
  attemptId?: string;
}

/** What a power cut takes from a terminal's payments, beside what their machine shows. */
export class VolatileState {
  current: CurrentPayment | undefined;
  #listener: { broke(error: unknown): void };
  /** Another after each power cut. */
  #power = {};
  #cut: AbortController | undefined;

  /** @param listener is told of a memory that cannot be written: the terminal has to start again */
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

  /** Says later whether the power has been on ever since. */
  watch(): () => boolean {
    const power = this.#power;
    return () => power === this.#power;
  }

  /** Goes on after a write, where the power is still on. */
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
