import { z } from 'zod';
import { paymentBrand } from '../../../shared/nexo/enums.ts';
import cards from './test-cards.json' with { type: 'json' };

/** Why an issuer refuses a saved card; each is some test card's answer (B77). */
export const declineCodes = [
  'genericDecline',
  'insufficientFunds',
  'lostCard',
  'stolenCard',
  'expiredCard',
  'incorrectCvc',
  'processingError',
  'withdrawalCountExceeded',
  'withdrawalAmountExceeded',
  'transactionNotPermitted',
  'restrictedCard',
  'fraudulent',
  'callIssuer',
  'issuerUnavailable',
] as const;
const declineCode = z.enum(declineCodes);

const refusal = z.object({
  declineCode,
  /** ISO 8583 field 39, as hosts print it. */
  responseCode: z.string().regex(/^[0-9A-Z]{2}$/),
  message: z.string(),
});
/** What an issuer says against a card. */
export type IssuerDecline = z.infer<typeof refusal>;

export const refundBehaviours = ['failsAtCreation', 'failsWhileProcessing', 'failsAfterSubmission'] as const;

const testCard = z.object({
  id: z.string().regex(/^[a-z0-9-]+$/),
  label: z.string(),
  number: z.string().regex(/^\d{12,19}$/),
  brand: paymentBrand,
  /** What the issuer answers a charge or preauthorization; absent is approving. */
  authorize: refusal.optional(),
  /** What it answers the capture of an authorization. */
  capture: refusal.optional(),
  /** What becomes of refunds; absent is that they are submitted. */
  refund: z.enum(refundBehaviours).optional(),
});
/** A card that can be saved, and how its issuer behaves. Its number stays here. */
export type TestCard = z.infer<typeof testCard>;

/**
 * Every card that can be saved; docs/saved-cards.md lists them. Numbers are those that gateways publish for
 * testing, and from the same range if none is published for a behaviour.
 */
export const testCards: readonly TestCard[] = z.array(testCard).parse(cards);
