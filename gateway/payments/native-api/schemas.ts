import { z } from 'zod';
import { languages } from '../../../shared/emulator/screen.ts';
import { errorConditions, paymentBrandSchema, toLowerCamel } from '../../../shared/nexo/enums.ts';
import { gratuitySchema } from './gratuity.ts';

/** The API's names for the ways in which a card is read (B21), each with nexo's name. */
export const entryModeNames = {
  icc: 'ICC',
  contactless: 'Contactless',
  magStripe: 'MagStripe',
  keyed: 'Keyed',
} as const;
const forceEntryMode = z.enum(['icc', 'contactless', 'magStripe', 'keyed']);

const transactionConditions = z
  .object({
    allowedPaymentBrand: z
      .array(paymentBrandSchema)
      .refine((brands) => new Set(brands).size >= 2, 'must have two or more different brands, or be left out')
      .optional()
      .meta({
        description:
          'The brands that the terminal accepts. If the gateway accepts a value, this does not guarantee that the account supports the brand',
      }),
    debitPreferredFlag: z.boolean().optional(),
    merchantCategoryCode: z
      .string()
      .regex(/^\d{4}$/, 'must be a merchant category code of four digits')
      .optional(),
    customerLanguage: z
      .string()
      .regex(/^[a-z]{2}$/, 'must be two lower-case letters (ISO 639-1)')
      .optional()
      .meta({
        description: `Language of the screens: ${languages.join(', ')}; other languages are shown in English`,
      }),
    forceEntryMode: z
      .array(forceEntryMode)
      .min(1, 'must have at least one entry mode, or be left out')
      .optional()
      .meta({ description: 'The only entry modes that the terminal offers' }),
  })
  .meta({ id: 'TransactionConditions', description: 'The cards and entry modes that the terminal accepts' });

/** The body of a payment request (B11). */
export const paymentRequestBodySchema = z
  .object({
    paymentTransaction: z.object({
      amountsReq: z.object({
        requestedAmount: z.number().meta({
          description: 'The amount to collect, in major units of the account’s currency',
          example: 25.5,
        }),
      }),
    }),
    saleData: z
      .object({
        saleReferenceId: z
          .string()
          .optional()
          .meta({ description: 'Echoed in the result', example: 'order-1001' }),
      })
      .optional(),
    transactionConditions: transactionConditions.optional(),
    gratuity: gratuitySchema.optional(),
  })
  .meta({ id: 'PaymentRequest', description: 'A card-present payment to collect on a terminal' });
export type PaymentRequestBody = z.infer<typeof paymentRequestBodySchema>;

const errorConditionName = z.enum(
  errorConditions.map((condition) => toLowerCamel(condition)) as [string, ...string[]],
);

const receipt = z
  .object({
    documentQualifier: z.enum(['cashierReceipt', 'customerReceipt']),
    requiredSignatureFlag: z.boolean(),
    outputContent: z.object({
      outputFormat: z.literal('text'),
      outputText: z.array(
        z.object({
          text: z.object({ name: z.string(), value: z.string().optional(), key: z.string() }),
          characterStyle: z.enum(['bold', 'normal']).optional(),
          endOfLineFlag: z.boolean(),
        }),
      ),
    }),
  })
  .meta({ id: 'PaymentReceipt' });

/** The outcome of a payment (B31). */
export const transactionResultSchema = z
  .object({
    identifier: z.uuid().meta({
      description: 'The identifier of the transaction. Later requests use this identifier as transactionId',
    }),
    response: z.object({
      result: z.enum(['success', 'failure']),
      errorCondition: errorConditionName
        .optional()
        .meta({ description: 'The error condition; present if the payment failed' }),
      additionalResponse: z
        .record(z.string(), z.string())
        .optional()
        .meta({ description: 'Provider-specific keys and values' }),
    }),
    saleData: z.object({ saleReferenceId: z.string() }).optional(),
    paymentResult: z
      .object({
        paymentInstrumentData: z.object({
          paymentInstrumentType: z.literal('card'),
          cardData: z.object({
            paymentBrand: paymentBrandSchema,
            maskedPan: z.string(),
            entryMode: z.array(forceEntryMode),
            cardCountryCode: z.string(),
          }),
        }),
        amountsResp: z
          .object({
            tipAmount: z.number().meta({ description: 'The tip in major units; present if a tip was added' }),
          })
          .optional(),
      })
      .optional()
      .meta({ description: 'The card; absent if no card was read' }),
    paymentReceipt: z
      .array(receipt)
      .optional()
      .meta({ description: 'The receipts; present only if the payment succeeded' }),
  })
  .meta({ id: 'IPPTransactionResult', description: 'The outcome of a terminal payment' });
export type TransactionResult = z.infer<typeof transactionResultSchema>;

/** The body of the answers 303 and 202. These answers say that the payment is still in progress (B43). */
export const inProgressAnswerSchema = z
  .object({ identifier: z.uuid(), status: z.literal('inProgress') })
  .meta({
    id: 'Acknowledgement',
    description: 'The payment is still in progress; ask for the status of the payment',
  });

const idempotencyKey = z
  .string()
  .regex(/^[\x20-\x7e]{1,255}$/, 'must be 1 to 255 printable characters')
  .meta({ description: 'A key that is unique for each payment, such as a UUID' });

export const paymentHeadersSchema = z.object({
  prefer: z.string().optional().meta({
    description: 'respond-sync (the default) holds the request open, respond-async answers 202 at once',
    example: 'respond-sync',
  }),
  'idempotency-key': idempotencyKey.optional(),
});

export const terminalIdParamsSchema = z.object({
  terminalId: z.string().meta({ description: 'The terminal’s identifier (UUID)' }),
});

const reference = {
  transactionId: z
    .string()
    .min(1)
    .optional()
    .meta({ description: 'The identifier of the payment, as the answer to the payment request gave it' }),
  idempotencyKey: idempotencyKey
    .optional()
    .meta({ description: 'The Idempotency-Key of the payment request' }),
};
const exactlyOne = 'give exactly one of transactionId and idempotencyKey';
const one = (given: { transactionId?: string; idempotencyKey?: string }) =>
  (given.transactionId === undefined) !== (given.idempotencyKey === undefined);

export const statusQuerySchema = z.object(reference).refine(one, exactlyOne);
export const abortBodySchema = z.object(reference).refine(one, exactlyOne).meta({ id: 'AbortRequest' });
