/** A reference or key that was not used for this long, in milliseconds, belongs to another sale (B236). */
export const sameSaleMs = 12 * 3_600_000;

/** If more payments than this share a reference, the reference does not show which belong together (B237). */
export const mostTogether = 20;

/** Whether a moment is long enough after the latest one of a sale for another sale to begin. */
export function isLongAfter(lastAt: number, at: number): boolean {
  return at - lastAt > sameSaleMs;
}

/**
 * Does the same for payments about which nothing else is known. Payments that are joined here are joined by the journal
 * too, because it knows more calls (B401).
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
