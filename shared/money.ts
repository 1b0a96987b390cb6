import { code } from 'currency-codes';

/**
 * The largest amount that pinpad accepts, in hundredths of a major unit. It is nexo's own limit, rounded down to cents.
 */
const largestHundredths = 9_999_999_999;
const largestMajorAmount = largestHundredths / 100;

/** Returns how many decimals a currency has by ISO 4217 (JPY 0, CAD 2, KWD 3), or undefined for an unknown code. */
export function currencyExponent(currency: string): number | undefined {
  return exponents.get(currency) ?? lookUp(currency);
}

const exponents = new Map<string, number>();

function lookUp(currency: string): number | undefined {
  const record = code(currency);
  if (record?.code !== currency) return undefined;
  exponents.set(currency, record.digits);
  return record.digits;
}

function exponentOf(currency: string): number {
  const exponent = currencyExponent(currency);
  if (exponent === undefined) throw new RangeError(`unknown currency ${currency}`);
  return exponent;
}

/** The reason why a number is not an amount of a currency. */
export type AmountFault = 'notPositive' | 'tooLarge' | 'tooManyDecimals';

/** Returns the reason why a number cannot be an amount of any currency, or undefined if it can be an amount. */
export function findAmountSizeFault(major: number): AmountFault | undefined {
  if (!(major > 0)) return 'notPositive';
  return major > largestMajorAmount ? 'tooLarge' : undefined;
}

/** Returns the largest amount of a currency in minor units. A total with tip and surcharge has the same limit (B13). */
export function largestAmountMinor(currency: string): number {
  return Math.floor((largestHundredths * 10 ** exponentOf(currency)) / 100);
}

/**
 * Reads a JSON number in major units as whole minor units, and never rounds (B12).
 *
 * The number is converted to its shortest decimal text, because the caller wrote that text. So 0.29 is 29 cents,
 * although 0.29 * 100 is not exactly 29.
 */
export function majorToMinorOrFault(major: number, currency: string): number | AmountFault {
  const fault = findAmountSizeFault(major);
  if (fault) return fault;
  const [mantissa = '', power = '0'] = String(major).split('e');
  const [whole = '', fraction = ''] = mantissa.split('.');
  const exponent = exponentOf(currency);
  const decimals = fraction.length - Number(power);
  if (decimals > exponent) return 'tooManyDecimals';
  return Number(whole + fraction) * 10 ** (exponent - decimals);
}

/** Returns minor units as a JSON number in major units. */
export function toMajor(minor: number, currency: string): number {
  return Number(formatDecimalAmount(minor, currency));
}

/** Returns minor units as text with exactly the currency's decimals, for example "12.30" (B105). */
export function formatDecimalAmount(minor: number, currency: string): string {
  const exponent = exponentOf(currency);
  if (exponent === 0) return String(minor);
  const digits = String(Math.abs(minor)).padStart(exponent + 1, '0');
  return `${minor < 0 ? '-' : ''}${digits.slice(0, -exponent)}.${digits.slice(-exponent)}`;
}

/** Returns an amount as people of `language` write it, with the currency's sign. */
export function formatMoney(minor: number, currency: string, language: string): string {
  return smallAmount(minor, currency, language) ?? anyAmount(minor, currency, language);
}

const signs: Record<string, string> = { EUR: '€', GBP: '£', USD: '$' };
const signBehind = ['de', 'es', 'fr', 'it'];

/**
 * Writes a small amount without Intl, because the first use of Intl takes 10 ms. That is a large part of the time of a
 * start. Most sales have small amounts.
 */
function smallAmount(minor: number, currency: string, language: string): string | undefined {
  const sign = signs[currency];
  if (sign === undefined || minor < 0 || minor >= 100_000) return undefined;
  const text = formatDecimalAmount(minor, currency);
  if (language === 'en') return sign + text;
  if (language === 'nl') return `${sign} ${text.replace('.', ',')}`;
  return signBehind.includes(language) ? `${text.replace('.', ',')} ${sign}` : undefined;
}

function anyAmount(minor: number, currency: string, language: string): string {
  const exponent = exponentOf(currency);
  const key = `${language} ${currency}`;
  let format = formats.get(key);
  if (!format) {
    format = new Intl.NumberFormat(language, {
      style: 'currency',
      currency,
      currencyDisplay: 'narrowSymbol',
      minimumFractionDigits: exponent,
      maximumFractionDigits: exponent,
    });
    formats.set(key, format);
  }
  return format.format(minor / 10 ** exponent).replaceAll(/[\u00a0\u202f]/g, ' ');
}

const formats = new Map<string, Intl.NumberFormat>();

/** Returns `percent` of `minor`, rounded half up to the minor unit (B25, B79). `percent` may have up to 6 decimals. */
export function computePercentOfMinor(minor: number, percent: number): number {
  // This early return saves time, because most accounts have no surcharge, and each charge computes its surcharge
  // twice.
  if (percent === 0) return 0;
  const millionths = BigInt(percent.toFixed(6).replace('.', ''));
  const whole = 100_000_000n;
  return Number((BigInt(minor) * millionths + whole / 2n) / whole);
}
