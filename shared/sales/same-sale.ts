/** A reference or key that was last used so long ago is another sale's when it is used again (B236). */
export const sameSaleMs = 12 * 3_600_000;

/** A reference shared by more payments than this says nothing about which belong together (B237). */
export const mostTogether = 20;

/** Whether what comes at a moment is so long after the last of a sale that it begins another one. */
export function isLongAfter(lastAt: number, at: number): boolean {
  return at - lastAt > sameSaleMs;
}

/** The same for payments of which nothing else is known: what it joins, the journal, which knows more calls, joins too (B401). */
export function isSameSale(
  payments: readonly { acceptedAt: number; concludedAt: number | undefined }[],
  at: number,
): boolean {
  return payments.some(
    ({ acceptedAt, concludedAt }) =>
      concludedAt === undefined || concludedAt > at || !isLongAfter(acceptedAt, at),
  );
}
