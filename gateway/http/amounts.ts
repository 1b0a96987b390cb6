import { type AmountFault, findAmountSizeFault, majorToMinorOrFault } from '../../shared/money.ts';
import { ApiError } from './errors.ts';

type Fault = AmountFault | 'totalTooLarge';

const faultMessages: Record<Fault, (currency: string) => string> = {
  notPositive: () => 'must be above 0',
  tooLarge: () => 'must be at most 99999999.99',
  totalTooLarge: () => 'must not make a total above 99999999.99',
  tooManyDecimals: (currency) => `must not have more decimals than ${currency} has`,
};

/**
 * Reads an amount of a request, and gives the amount in minor units. `path` names the amount's field.
 *
 * @throws ApiError invalidAmount (B12)
 */
export function convertToMinorAmount(major: number, currency: string, path: string): number {
  const amount = majorToMinorOrFault(major, currency);
  if (typeof amount === 'string') throw makeInvalidAmountError(path, amount, currency);
  return amount;
}

/**
 * Checks the size of an amount whose currency is not known.
 *
 * @throws ApiError invalidAmount (B12)
 */
export function checkAmountSize(major: number, path: string): void {
  const fault = findAmountSizeFault(major);
  if (fault) throw makeInvalidAmountError(path, fault, '');
}

/** Makes the error about a wrong amount. */
export function makeInvalidAmountError(path: string, fault: Fault, currency: string): ApiError {
  const message = faultMessages[fault](currency);
  return new ApiError('invalidAmount', { message: `${path} ${message}`, details: [{ path, message }] });
}
