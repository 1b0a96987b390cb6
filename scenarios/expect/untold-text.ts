import type { UntoldPayment } from '../../client/openapi-types.ts';

/**
 * Describes a payment whose outcome the point of sale was not told. A negative amount means that money was given back.
 */
export function untoldPaymentText({ payment, amount, currency, calls, why }: UntoldPayment): string {
  const what = amount < 0 ? `that ${currency} ${-amount} was given back by` : 'of payment';
  const much = amount < 0 ? '' : ` of ${currency} ${amount}`;
  return `the POS was never told ${what} ${payment}${much} (${calls}): ${why}`;
}
