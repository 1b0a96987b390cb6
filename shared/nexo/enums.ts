import { z } from 'zod';

/** All values of nexo's ErrorCondition (B34). */
export const errorConditions = [
  'Aborted',
  'Busy',
  'Cancel',
  'DeviceOut',
  'InProgress',
  'InsertedCard',
  'InvalidCard',
  'LoggedOut',
  'MessageFormat',
  'NotAllowed',
  'NotFound',
  'PaymentRestriction',
  'Refusal',
  'UnavailableDevice',
  'UnavailableService',
  'UnreachableHost',
  'WrongPIN',
] as const;
export const errorConditionSchema = z.enum(errorConditions);
export type ErrorCondition = z.infer<typeof errorConditionSchema>;

/** The card brands that the service knows (B15). */
export const paymentBrands = [
  'visa',
  'mc',
  'amex',
  'maestro',
  'diners',
  'discover',
  'jcb',
  'cup',
  'interac_card',
] as const;
export const paymentBrandSchema = z.enum(paymentBrands);
export type PaymentBrand = z.infer<typeof paymentBrandSchema>;

/** The ways in which a card can be presented to our terminals, by their names in nexo. */
export const entryModes = ['ICC', 'Contactless', 'MagStripe', 'Keyed'] as const;
export const entryModeSchema = z.enum(entryModes);
export type EntryMode = z.infer<typeof entryModeSchema>;

/** How the cardholder was verified, by nexo's names. No value means that no verification was needed. */
const authenticationMethods = [
  'OfflinePIN',
  'OnlinePIN',
  'PaperSignature',
  'Bypass',
  'ManualVerification',
] as const;
export const authenticationMethodSchema = z.enum(authenticationMethods);
export type AuthenticationMethod = z.infer<typeof authenticationMethodSchema>;

/** The steps of a payment that nexo reports to a display (DisplayNotificationEvent). */
const displayEvents = [
  'TENDER_CREATED',
  'CARD_INSERTED',
  'CARD_PRESENTED',
  'CARD_SWIPED',
  'WAIT_FOR_APP_SELECTION',
  'APPLICATION_SELECTED',
  'ASK_SIGNATURE',
  'CHECK_SIGNATURE',
  'SIGNATURE_CHECKED',
  'WAIT_FOR_PIN',
  'PIN_ENTERED',
  'PRINT_RECEIPT',
  'RECEIPT_PRINTED',
  'CARD_REMOVED',
  'TENDER_FINAL',
  'ASK_GRATUITY',
  'GRATUITY_ENTERED',
  'PROVIDE_CARD_DETAILS',
  'CARD_DETAILS_PROVIDED',
] as const;
export type DisplayEvent = (typeof displayEvents)[number];

/** Gives the API's spelling of a nexo value: `WrongPIN` is `wrongPin`, `ICC` is `icc` (B21, B34). */
export function toLowerCamel(value: string): string {
  if (/^[A-Z]+$/.test(value)) return value.toLowerCase();
  return (
    value[0]?.toLowerCase() +
    value.slice(1).replace(/[A-Z]{2,}$/, (run) => run[0] + run.slice(1).toLowerCase())
  );
}
