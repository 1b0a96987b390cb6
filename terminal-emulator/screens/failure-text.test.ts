import { expect, test } from 'vitest';
import { languages } from '../../shared/emulator/screen.ts';
import { errorConditions } from '../../shared/nexo/enums.ts';
import { failureText } from './failure-text.ts';
import { locales } from './locales.ts';

test.each([
  ['210 Not enough balance', 'Not enough balance'],
  ['NOT_ENOUGH_BALANCE', 'Not enough balance'],
  ['199 Card blocked', 'Card blocked'],
  ['214 Declined online RESTRICTED_CARD', 'Card blocked'],
  ['228 Card expired', 'Card expired'],
  ['128 Online PIN tries exceeded', 'Too many PIN tries'],
  ['211 Withdrawal amount exceeded', 'Amount limit exceeded'],
  ['212 Withdrawal count exceeded', 'Too many payments'],
  ['ISSUER UNAVAILABLE', 'Card issuer not available'],
  ['TRANSACTION_NOT_PERMITTED', 'Not permitted with this card'],
  ['INVALID_AMOUNT', 'Amount not valid'],
  ['REFERRAL', 'Please contact your bank'],
  ['108 Shopper cancelled tx CANCELLED', 'Cancelled by the customer'],
  ['108 Shopper cancelled tx TIMED_OUT', 'Nothing was entered in time'],
  ['126 Shopper did not present card', 'No card was presented'],
  ['card removed CANCELLED', 'Card removed too early'],
  ['CARD_NOT_REFUNDABLE Card cannot be refunded', 'This card cannot be refunded'],
  ['CARD_NEEDED Refund needs the card', 'The refund needs the card'],
  ['Contactless limit exceeded', 'Above the contactless limit'],
  ['Card could not be read CARD_NOT_READABLE', 'The card cannot be read'],
  ['Card cannot be keyed INVALID_CARD', 'This card cannot be keyed in'],
])('the condition "%s" is shown as "%s"', (detail, text) => {
  expect(failureText(locales.en, { condition: 'Refusal', detail })).toBe(text);
});

test('for an unknown reason the condition is shown', () => {
  expect(failureText(locales.en, { condition: 'Aborted', detail: '104 Merchant cancelled tx' })).toBe(
    'Stopped by the cashier',
  );
  expect(failureText(locales.de, { condition: 'UnreachableHost' })).toBe('Keine Antwort der Bank');
  expect(failureText(locales.en, { condition: 'Refusal', detail: '214 Declined online' })).toBeUndefined();
  expect(failureText(locales.en)).toBeUndefined();
});

test.each(languages)('%s reports the same conditions as English', (language) => {
  for (const condition of errorConditions) {
    const text = failureText(locales[language], { condition });
    expect(text === undefined).toBe(failureText(locales.en, { condition }) === undefined);
  }
});
