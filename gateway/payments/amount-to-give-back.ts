import { formatDecimalAmount } from '../../shared/money.ts';
import { ApiError } from '../http/errors.ts';
import type { OriginalPayment } from './core/giving-back.ts';

/** A request to reverse a payment, in whole or in part. */
interface Asked {
  /**
   * The amount in minor units. If it is undefined, the reversal gives back everything that the payment took and has not
   * given back yet.
   */
  readonly amount: number | undefined;
  /** The currency; undefined if the request names no currency. */
  readonly currency: string | undefined;
}

/**
 * Gives the amount that a reversal gives back. All reversals of a payment together never give back more than the
 * payment took (B490).
 *
 * @throws ApiError originalNotReversible, alreadyGivenBack, currencyMismatch or amountExceedsRest; the code says why
 * the amount cannot be given back (B491)
 */
export function amountToGiveBack(original: OriginalPayment, { amount, currency }: Asked): number {
  const { kind, outcome, taken, givenBack, currency: paidIn } = original;
  if (kind !== 'payment')
    throw notReversible('This is a reversal or refund: only the money of a payment can be given back');
  if (outcome === undefined)
    throw notReversible('The payment is still open: wait for its result, or abort it');
  if (taken === 0) throw notReversible('The payment failed: nothing was charged');
  if (currency !== undefined && currency !== paidIn)
    throw new ApiError('currencyMismatch', {
      message: `The payment was made in ${paidIn}, not in ${currency}`,
    });
  const left = taken - givenBack;
  if (left <= 0) throw new ApiError('alreadyGivenBack');
  if (amount !== undefined && amount > left)
    throw new ApiError('amountExceedsRest', {
      message: `The amount is larger than the amount that can still be given back: ${formatDecimalAmount(left, paidIn)} ${paidIn}`,
    });
  return amount ?? left;
}

function notReversible(message: string): ApiError {
  return new ApiError('originalNotReversible', { message });
}
