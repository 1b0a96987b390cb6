import { z } from 'zod';
import { testCardIds, webhookInputSchema } from '../gateway/index.ts';
import { languages } from '../shared/emulator/screen.ts';
import { userChosenIdSchema } from '../shared/given-id.ts';
import { currencyExponent } from '../shared/money.ts';
import { tokenPattern, tokenPatternMessage } from '../shared/token-pattern.ts';
import { parseReaderSpec, ReaderSpecError } from '../terminal-emulator/index.ts';

const currency = z
  .string()
  .refine(
    (code) => currencyExponent(code) !== undefined,
    'must be an ISO 4217 currency such as EUR, USD or JPY',
  );

const readerText = z.string().superRefine((text, context) => {
  try {
    parseReaderSpec(text);
  } catch (error) {
    if (!(error instanceof ReaderSpecError)) throw error;
    context.addIssue({ code: 'custom', message: error.message });
  }
});

const terminalConfig = z.strictObject({
  poiId: z
    .string()
    .regex(/^[A-Za-z0-9]+-[A-Za-z0-9]+$/, 'must be MODEL-SERIAL, e.g. V400m-100000001')
    .describe('the identifier of the device, as MODEL-SERIAL'),
  identifier: z.uuid().optional().describe('the terminalId in paths; generated if absent'),
  payoutAccount: z
    .uuid()
    .nullable()
    .optional()
    .describe('the payout account; if it is null, charging fails with payoutAccountMissing'),
  magicAmounts: z.boolean().optional().describe("overrides the account's magicAmounts"),
  language: z
    .enum(languages)
    .default('en')
    .describe("the merchant's language, in which the cashier receipt is printed"),
  reader: z
    .union([readerText, z.array(readerText)])
    .optional()
    .describe('a real card reader such as pn532:/dev/ttyUSB0, or a list of readers (docs/readers.md)'),
});
export type TerminalConfig = z.infer<typeof terminalConfig>;

const storeConfig = z.strictObject({
  name: z.string().min(1).max(60),
  address: z.string().max(120).default(''),
  terminals: z.array(terminalConfig).default([]),
});

const tokenConfig = z.strictObject({
  token: z
    .string()
    .min(16, 'must have at least 16 characters, so that it cannot be guessed')
    .regex(tokenPattern, tokenPatternMessage)
    .optional()
    .describe('the token; if absent, it is generated, kept in the data folder and printed'),
  environment: z.enum(['sandbox', 'production']).default('sandbox'),
  label: z.string().max(60).default('configured'),
});

const savedCardConfig = z.strictObject({
  id: userChosenIdSchema
    .optional()
    .describe('the credit_card_id in paths; if absent, it is made from the contact and the card'),
  card: z
    .string()
    .regex(/^[a-z][a-z0-9-]*$/, { error: 'must be the id of a test card, such as visa', abort: true })
    .refine((card) => testCardIds.includes(card), {
      error: ({ input }) =>
        `${input} is not a test card that can be saved; allowed: ${testCardIds.join(', ')}`,
    })
    .describe('the id of a test card that can be saved'),
  expiry: z
    .string()
    .regex(/^(0[1-9]|1[0-2])\d{2}$/, 'must be MMYY')
    .optional(),
});

const contactConfig = z.strictObject({
  id: userChosenIdSchema.optional().describe('the contact_id in paths; if absent, it is made from the name'),
  name: z.string().min(1).max(60),
  email: z.email('must be an address such as robin@example.com').optional(),
  cards: z.array(savedCardConfig).default([]).describe('saved credit cards'),
});

const bankAccountConfig = z.strictObject({
  id: userChosenIdSchema
    .optional()
    .describe('the to_bank_account_id in requests; if absent, it is made from the name'),
  name: z.string().min(1).max(60),
  number: z
    .string()
    .regex(/^[A-Za-z0-9 ]{4,42}$/, 'must be an IBAN or account number')
    .optional(),
});

const webhookConfig = z.strictObject({
  id: userChosenIdSchema
    .optional()
    .describe('the id of the webhook; if absent, it is made from the account and the url'),
  url: webhookInputSchema.shape.url,
  types: webhookInputSchema.shape.types.describe('the events to send; if absent, all events'),
  environment: z.enum(['sandbox', 'production']).default('sandbox'),
  secret: webhookInputSchema.shape.secret.describe(
    'the secret: whsec_ followed by base64; generated if absent',
  ),
});

const securityQuestionConfig = z.strictObject({
  question: z.string().min(1).max(200),
  answer: z
    .string()
    .min(1)
    .max(200)
    .describe('the answer; upper and lower case do not matter, and only a hash is stored'),
});

/** Checks an account of a configuration: its tokens, stores, terminals and customers. */
export const accountConfigSchema = z.strictObject({
  name: z.string().min(1).max(60),
  currency: currency.default('EUR'),
  transactionLimit: z
    .number()
    .positive()
    .optional()
    .describe('the highest amount of a payment, in major units; 10 000.00 if absent'),
  magicAmounts: z.boolean().default(true).describe('whether the last digits of an amount choose the outcome'),
  tokens: z.array(tokenConfig).default([{ environment: 'sandbox', label: 'configured' }]),
  stores: z.array(storeConfig).default([]),
  cardOnFile: z.boolean().default(false).describe('whether saved cards can be charged and preauthorized'),
  surchargePercent: z
    .number()
    .min(0)
    .max(100)
    .multipleOf(0.0001)
    .default(0)
    .describe('the percentage that customers pay on top of a debit'),
  contacts: z.array(contactConfig).default([]).describe('customers with saved cards'),
  bankAccounts: z
    .array(bankAccountConfig)
    .default([])
    .describe('bank accounts with which the merchant receives and sends funds'),
  securityQuestion: securityQuestionConfig
    .optional()
    .describe('the question that payment links ask; without it, payment links cannot be made'),
  webhooks: z.array(webhookConfig).default([]).describe('the receivers of events'),
  adyen: z
    .strictObject({
      events: webhookInputSchema.shape.url
        .optional()
        .describe('the address to which results of /async are sent (docs/adyen.md)'),
    })
    .optional()
    .describe("settings for tills that speak Adyen's Terminal API"),
});
export type AccountConfig = z.infer<typeof accountConfigSchema>;
