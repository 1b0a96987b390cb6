import { type AmountFault, parseMajor } from '../../shared/money.ts';
import { ApiError } from './errors.ts';

const faultMessages: Record<AmountFault, (currency: string) => string> = {
  notPositive: () => 'must be above 0',
  tooLarge: () => 'must be at most 99999999.99',
  tooManyDecimals: (currency) => `has more decimals than ${currency}`,
};

/**
 * An amount of a request, in whole minor units. `path` names its field.
 *
 * @throws ApiError invalidAmount (decision 4)
 */
export function readAmount(major: number, currency: string, path: string): number {
  const amount = parseMajor(major, currency);
  if (typeof amount === 'string') throw invalidAmount(path, amount, currency);
  return amount;
}

/** The error of an amount at fault. */
export function invalidAmount(path: string, fault: AmountFault, currency: string): ApiError {
  const message = faultMessages[fault](currency);
  return new ApiError('invalidAmount', { message: `${path} ${message}`, details: [{ path, message }] });
}
