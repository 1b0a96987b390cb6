import type { Language } from '../../shared/emulator/screen.ts';
import type { ErrorCondition } from '../../shared/nexo/enums.ts';
import { conditionTexts } from './condition-texts.ts';
import type { FailureCause, Locale } from './locales/locale.ts';
import type { ScreenFailure } from './screen-facts.ts';

/**
 * Patterns that find the cause in refusal reasons, messages and the terminal's own tokens. More specific patterns come
 * first.
 */
const reasonPatterns: readonly (readonly [words: RegExp, cause: FailureCause])[] = [
  [/CARD_NOT_REFUNDABLE/, 'notRefundable'],
  [/CARD_NEEDED/, 'cardNeeded'],
  [/NOT_ENOUGH_BALANCE/, 'notEnoughBalance'],
  [/BLOCK_CARD|CARD_BLOCKED|RESTRICTED_CARD/, 'cardBlocked'],
  [/CARD_EXPIRED/, 'cardExpired'],
  [/PIN_TRIES_EXCEEDED/, 'pinTriesExceeded'],
  [/WITHDRAWAL_AMOUNT_EXCEEDED/, 'amountExceeded'],
  [/WITHDRAWAL_COUNT_EXCEEDED/, 'countExceeded'],
  [/ISSUER_UNAVAILABLE/, 'issuerUnavailable'],
  [/TRANSACTION_NOT_PERMITTED|NOT_SUPPORTED/, 'notPermitted'],
  [/INVALID_AMOUNT/, 'invalidAmount'],
  [/REFERRAL/, 'contactIssuer'],
  [/TIMED_OUT/, 'timedOut'],
  [/DID_NOT_PRESENT_CARD/, 'noCard'],
  [/CARD_REMOVED/, 'cardRemoved'],
  [/CONTACTLESS_FALLBACK|CONTACTLESS_LIMIT/, 'contactlessLimit'],
  [/NOT_READABLE|COULD_NOT_BE_READ/, 'unreadable'],
  [/CANNOT_BE_KEYED/, 'notKeyed'],
  [/SHOPPER_CANCELLED/, 'shopperCancelled'],
  [/TIP_TOO_HIGH/, 'tipTooHigh'],
  [/KEY_REFUSED/, 'keyRefused'],
];

/**
 * Gives the text that tells the shopper why a payment failed. If there is no such text, gives undefined, and the screen
 * shows only its title.
 */
export function failureText(
  locale: Locale,
  { condition, detail = '' }: ScreenFailure = {},
): string | undefined {
  const words = detail.toUpperCase().replaceAll(/[^A-Z0-9]+/g, '_');
  const cause = reasonPatterns.find(([pattern]) => pattern.test(words))?.[1];
  if (cause) return locale.causes[cause];
  const texts: Partial<Record<ErrorCondition, Record<Language, string>>> = conditionTexts;
  return condition && texts[condition]?.[locale.language];
}
