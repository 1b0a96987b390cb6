import type { UntoldPayment } from '../../client/openapi-types.ts';

/**
 * Describes a payment for which the point of sale was not told the outcome. A negative amount means that money was
 * given back.
 */
export function untoldPaymentText({ payment, amount, currency, calls, why }: UntoldPayment): string {
  const what =
    amount < 0
      ? `that ${payment} gave back ${currency} ${-amount}`
      : `the outcome of payment ${payment} of ${currency} ${amount}`;
  return `the POS was never told ${what} (${calls}): ${why}`;
}
