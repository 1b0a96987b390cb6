/** If a reference or key is used again after this time, in milliseconds, it belongs to another sale (B236). */
export const sameSaleMs = 12 * 3_600_000;

/** If more payments than this share a reference, the reference does not show which payments belong together (B237). */
export const mostPaymentsOfReference = 20;

/**
 * Whether the moment `at` comes more than 12 hours after the latest moment of a sale. If so, another sale begins at
 * `at`.
 */
export function isLongAfter(lastAt: number, at: number): boolean {
  return at - lastAt > sameSaleMs;
}

/**
 * Whether a payment that is accepted at `at` belongs to the sale of `payments`. It does if one of `payments` is still
 * open at that time, or was accepted at most 12 hours earlier. If this function puts payments into one sale, they are
 * in one sale too if the sale is assembled from a journal. That sale may have further payments, because the journal
 * also shows other calls about the sale (B401).
 */
export function isSameSale(
  payments: readonly { acceptedAt: number; concludedAt?: number }[],
  at: number,
): boolean {
  return payments.some(
    ({ acceptedAt, concludedAt }) =>
      concludedAt === undefined || concludedAt > at || !isLongAfter(acceptedAt, at),
  );
}
