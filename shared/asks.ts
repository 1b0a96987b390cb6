/**
 * The purpose of a request of another API than the payments API. That API's part of the gateway gives it, so that no other part
 * has to know how such a request is written.
 */
export interface Asks {
  readonly kind: 'payment' | 'reversal' | 'refund' | 'status' | 'abort' | 'other';
  /**
   * The key of the payment, reversal or refund that it begins, asks for or aborts, as the column of idempotency keys has it.
   */
  readonly key?: string;
  /** The short name that the API gives to that payment's request. */
  readonly id?: string;
  /** The name of the sale, which joins its payments. */
  readonly reference?: string;
  /** For a reversal: the host's reference of the payment that it gives back. */
  readonly original?: string;
  /** The amount requested, in major units; absent if a reversal gives back all that is left. */
  readonly amount?: number;
  /** The identifier of the terminal that it names, if the account has such a terminal. */
  readonly terminal?: string;
}

/** The meaning of an answer of such an API. */
export interface Means {
  /** The status with which the payments API says the same: 303 if the payment goes on, 404 if there is none. */
  readonly status: number;
  /** The word of that API for it, if it is no success. */
  readonly as?: string;
  /** Whether it refuses a key that came before with another body. */
  readonly reusesKey?: true;
}

/**
 * The key of a payment as it is shown. A dialect's key is stored with a line break in front, which no key of the payments API
 * has (B452).
 */
export function shownKey(key: string): string {
  return key.startsWith('\n') ? key.slice(1) : key;
}
