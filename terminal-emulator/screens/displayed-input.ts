import type { Screen } from '../../shared/emulator/screen.ts';
import { formatMoney } from '../../shared/money.ts';
import type { Locale } from './locales/locale.ts';
import type { ScreenFacts } from './screen-facts.ts';

/**
 * Gives the typed digits in a form that may be shown. A PIN is shown as stars. Only the first six digits of a card
 * number are shown. The reason is that the journal records the screen, and the journal must not show more digits than a
 * masked number does.
 */
export function maskTypedInput(input: ScreenFacts, locale: Locale): Screen['input'] {
  const { state, typed = '', pinLength = 0 } = input;
  switch (state) {
    case 'customTip':
      return { label: locale.input.tip, text: formatTip(typed, input) };
    case 'keyedNumber':
      return { label: locale.input.number, text: maskWhileTyped(typed) };
    case 'keyedExpiry':
      return {
        label: locale.input.expiry,
        text: typed.length < 2 ? typed : `${typed.slice(0, 2)}/${typed.slice(2)}`,
      };
    case 'pin':
      return { label: locale.input.pin, text: '*'.repeat(pinLength) };
    default:
      return undefined;
  }
}

function formatTip(typed: string, { payment, language }: ScreenFacts): string {
  return payment ? formatMoney(Number(typed || '0'), payment.currency, language) : typed;
}

function maskWhileTyped(number: string): string {
  const masked = number.slice(0, 6) + '*'.repeat(Math.max(0, number.length - 6));
  return masked.replaceAll(/(.{4})(?=.)/g, '$1 ');
}
