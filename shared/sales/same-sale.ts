/** A reference or key that was not used for this long, in milliseconds, belongs to another sale (B236). */
export const sameSaleMs = 12 * 3_600_000;

/** If more payments than this share a reference, the reference does not show which belong together (B237). */
export const mostPaymentsOfReference = 20;

/** Whether another sale begins at the moment `at`, because that is long after the latest moment of the sale. */
export function isLongAfter(lastAt: number, at: number): boolean {
  return at - lastAt > sameSaleMs;
}

/**
 * Whether a payment that is accepted at `at` belongs to the sale of these payments: one of them is still open then, or
 * was accepted at most 12 hours before. The journal joins at least these payments, because it knows more calls (B401).
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
