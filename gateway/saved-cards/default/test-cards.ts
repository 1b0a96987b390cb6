import { z } from 'zod';
import { paymentBrandSchema } from '../../../shared/nexo/enums.ts';
import cards from './test-cards.json' with { type: 'json' };

/** The codes with which an issuer refuses a saved card. There is a test card for each code (B77). */
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
  /** The response code of ISO 8583 (field 39), as hosts print it. */
  responseCode: z.string().regex(/^[0-9A-Z]{2}$/),
  message: z.string(),
});
/** The refusal of an issuer. */
export type IssuerDecline = z.infer<typeof refusal>;

export const refundBehaviours = ['failsAtCreation', 'failsWhileProcessing', 'failsAfterSubmission'] as const;

const testCard = z.object({
  id: z.string().regex(/^[a-z0-9-]+$/),
  label: z.string(),
  number: z.string().regex(/^\d{12,19}$/),
  brand: paymentBrandSchema,
  /** The issuer's refusal of a charge or preauthorization. It is absent if the issuer approves. */
  authorize: refusal.optional(),
  /** The issuer's refusal of a capture. It is absent if the issuer approves. */
  capture: refusal.optional(),
  /** How refunds to the card fail. It is absent if refunds succeed. */
  refund: z.enum(refundBehaviours).optional(),
});
/** A test card that can be saved, and how its issuer behaves. The card's number is used nowhere else. */
export type TestCard = z.infer<typeof testCard>;

/**
 * All cards that can be saved (listed in docs/saved-cards.md). Their numbers are test numbers that payment gateways
 * publish. If there is no published number for the behaviour of a card, the card's number is from the same range as the
 * published numbers.
 */
export const testCards: readonly TestCard[] = z.array(testCard).parse(cards);
