import { z } from 'zod';
import { hostRefusalSchema } from '../nexo/acquirer.ts';
import { entryModeSchema, paymentBrandSchema } from '../nexo/enums.ts';

/** The ways to verify a cardholder, the strongest first. A terminal tries the ways in this order. */
export const cardholderVerificationSchema = z.enum(['offlinePin', 'onlinePin', 'signature', 'none']);
export type CardholderVerification = z.infer<typeof cardholderVerificationSchema>;

const cardApplication = z.object({
  aid: z.string().regex(/^[0-9A-F]{10,32}$/),
  label: z.string().min(1).max(16),
  brand: paymentBrandSchema,
  /**
   * Whether this is a debit application. If the request sets debitPreferredFlag, the terminal prefers debit
   * applications.
   */
  debit: z.boolean().default(false),
});

/**
 * A test card, as data files and the configuration describe it. Its number must be from a range that is published for
 * tests.
 */
export const testCardSchema = z
  .object({
    id: z
      .string()
      .regex(/^[a-z0-9][a-z0-9-]{0,40}$/, 'must be at most 41 lower-case letters, digits and hyphens'),
    label: z.string().min(1).max(40),
    number: z.string().regex(/^\d{12,19}$/, 'must be 12 to 19 digits'),
    /** The expiry as MMYY. */
    expiry: z.string().regex(/^(0[1-9]|1[0-2])\d{2}$/, 'must be MMYY'),
    /** The issuer's country as an ISO 3166 number, e.g. 528. */
    country: z.string().regex(/^\d{3}$/, 'must be three digits, the ISO 3166 number of a country'),
    funding: z.enum(['credit', 'debit', 'prepaid']),
    /** The applications of the card; a co-badged card has several. The card prefers its first application. */
    applications: z.array(cardApplication).min(1).max(9),
    pin: z
      .string()
      .regex(/^\d{4,6}$/, 'must be 4 to 6 digits')
      .optional(),
    /** The card's chip. A card without `chip` cannot be inserted, and a card without `contactless` cannot be tapped. */
    chip: z
      .object({
        verification: cardholderVerificationSchema,
        readable: z.enum(['yes', 'no', 'secondTry']).default('yes'),
      })
      .optional(),
    contactless: z
      .object({
        /**
         * The limit for a tap, in major units of the payment's currency. `aboveLimit` says what happens if the amount
         * is higher.
         */
        limit: z.number().positive().default(50),
        aboveLimit: z.enum(['insert', 'pin', 'allow']).default('insert'),
      })
      .optional(),
    stripe: z
      .object({
        /**
         * How the holder is verified. A stripe cannot check a PIN, so the issuer checks the PIN even if `verification`
         * is `offlinePin`.
         */
        verification: cardholderVerificationSchema.default('signature'),
        readable: z.boolean().default(true),
      })
      .optional(),
    keyed: z.boolean().default(true),
    /** The issuer's answer. If it is absent, the issuer approves. */
    host: hostRefusalSchema.optional(),
    /** One line that tells people what this card is for. */
    note: z.string().max(80).default(''),
  })
  .superRefine((given, context) => {
    const refuse = (field: string, message: string) =>
      context.addIssue({ code: 'custom', path: [field], message });
    const { chip, contactless, stripe, keyed, pin } = given;
    if (!chip && !contactless && !stripe && !keyed)
      refuse('keyed', 'a card needs at least one of chip, contactless, stripe and keyed');
    if (contactless?.aboveLimit === 'insert' && !chip)
      refuse('contactless', 'a card without a chip cannot have `aboveLimit: insert`: use `pin` or `allow`');
    const asksPin =
      [chip, stripe].some((way) => way && /Pin$/.test(way.verification)) || contactless?.aboveLimit === 'pin';
    if (asksPin && !pin) refuse('pin', 'this card is verified by PIN, so it needs a PIN');
  });
export type TestCardDefinition = z.infer<typeof testCardSchema>;

/** A card without its number. The number never leaves the emulator. */
export const cardSummarySchema = z
  .object({
    id: z.string(),
    label: z.string(),
    brand: paymentBrandSchema,
    maskedPan: z.string(),
    expiry: z.string(),
    pin: z.string().optional(),
    applications: z.array(z.string()),
    entries: z.array(entryModeSchema),
    /** The card's behaviour in words: "approves", "declines: Not enough balance (210)", "PIN 1234 offline". */
    behaviour: z.string(),
    note: z.string(),
    blocked: z.boolean(),
  })
  .meta({ id: 'Card', description: 'A test card of the tray' });
export type CardSummary = z.infer<typeof cardSummarySchema>;
