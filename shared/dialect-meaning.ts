/**
 * The purpose of a request that belongs to an API other than the payments API. The code for that API (its dialect)
 * fills in these fields. So no other code has to know how such a request is written.
 */
export interface DialectRequestMeaning {
  readonly kind: 'payment' | 'reversal' | 'refund' | 'status' | 'abort' | 'other';
  /**
   * The key of the payment, reversal or refund that the request begins, asks about or aborts. The key has the form in
   * which the database's column of idempotency keys stores it.
   */
  readonly key?: string;
  /**
   * The short identifier that the API gives to the request that began the payment, reversal or refund, for example its
   * ServiceID.
   */
  readonly id?: string;
  /** The name of the sale. All payments of one sale have the same name. */
  readonly reference?: string;
  /** For a reversal: the host's reference of the payment whose money the reversal gives back. */
  readonly original?: string;
  /** The amount requested, in major units; absent if a reversal gives back the whole remaining amount. */
  readonly amount?: number;
  /** The identifier of the terminal that the request names, if the account has such a terminal. */
  readonly terminal?: string;
}

/** The meaning of an answer that belongs to an API other than the payments API. */
export interface DialectAnswerMeaning {
  /**
   * The status with which the payments API would give the same answer: 303 if the payment is in progress, 404 if the
   * payment does not exist.
   */
  readonly status: number;
  /** The word that the answer's own API uses for the answer; absent if the answer is a success. */
  readonly as?: string;
  /** Whether the answer refuses the request because an earlier request had the same key and another body. */
  readonly reusesKey?: true;
}

/**
 * Returns the key of a payment in the form that is shown. The key of another API is stored with a line break in front,
 * because no key of the payments API has a line break (B452).
 */
export function formatIdempotencyKey(key: string): string {
  return key.startsWith('\n') ? key.slice(1) : key;
}
