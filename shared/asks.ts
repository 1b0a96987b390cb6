/**
 * What a request of another API than the payments API is for, as that API's part of the gateway says it: nobody else has to know
 * how such a request is written.
 */
export interface Asks {
  readonly kind: 'payment' | 'reversal' | 'refund' | 'status' | 'abort' | 'other';
  /** Of the payment, reversal or refund that it begins, asks for or aborts: as it stands in the column of idempotency keys. */
  readonly key?: string;
  /** How the API calls that payment's request, in short. */
  readonly id?: string;
  /** The sale that it pays, by the name that joins its payments. */
  readonly reference?: string;
  /** Of a reversal: what the acquirer's host called the payment that it gives back. */
  readonly original?: string;
  /** Requested, major units; absent of a reversal of all that is left. */
  readonly amount?: number;
  /** The identifier of the terminal that it names, where the account has one. */
  readonly terminal?: string;
}

/** What an answer of such an API means. */
export interface Means {
  /** With which status the payments API says the same: 303 that the payment goes on, 404 that there is none. */
  readonly status: number;
  /** How that API says it, in a word, where it is no success. */
  readonly as?: string;
  /** It refuses a key that came before with another body. */
  readonly reusesKey?: true;
}

/** The key of a payment as it is shown: that of a dialect stands behind a line break, which no key of the payments API has (B452). */
export function shownKey(key: string): string {
  return key.startsWith('\n') ? key.slice(1) : key;
}
