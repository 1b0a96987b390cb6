/** How long after its last use a reference or key belongs to another sale, in milliseconds (B236). */
export const sameSaleMs = 12 * 3_600_000;

/** The most payments that may share a reference; if more do, it says nothing about which belong together (B237). */
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
