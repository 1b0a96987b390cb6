import { currencyExponent, findAmountSizeFault } from './money.ts';

/** The amount that a person typed, in major units, or a text that says what is wrong with it. */
type TypedAmount = { readonly amount: number } | { readonly fault: string };

/**
 * Reads an amount that a person typed, with a decimal point or comma. A comma before the last three digits is refused,
 * because it may separate thousands. If the currency is known, the number of decimals is checked too.
 */
export function readTypedAmount(typed: string, currency?: string): TypedAmount {
  const text = typed.trim();
  if (text === '') return { fault: 'type an amount such as 12.30' };
  if (/,\d{3}$/.test(text))
    return {
      fault: `${text} is ambiguous, because the last digits may be thousands: type the decimals after a point`,
    };
  const plain = text.replace(',', '.');
  if (!/^[+-]?(\d+\.?\d*|\.\d+)$/.test(plain)) return { fault: `${text} is not an amount such as 12.30` };
  const amount = Number(plain);
  const decimals = plain.split('.')[1]?.length ?? 0;
  const most = currency === undefined ? undefined : currencyExponent(currency);
  if (findAmountSizeFault(amount) === 'notPositive') return { fault: 'an amount must be more than 0' };
  if (findAmountSizeFault(amount) === 'tooLarge')
    return { fault: `${text} is above the largest amount that the gateway accepts` };
  if (most !== undefined && decimals > most) return { fault: `${currency} has ${decimalsOf(most)}` };
  return { amount };
}

function decimalsOf(count: number): string {
  return count === 0 ? 'no decimals' : `${count} decimals`;
}
