import { z } from 'zod';

/** The header of a request. An answer repeats only the fields that are listed here. */
const messageHeader = z.object({
  ProtocolVersion: z.string().max(10).optional(),
  MessageClass: z.enum(['Service', 'Device', 'Event']),
  MessageCategory: z.enum([
    'Abort',
    'Admin',
    'BalanceInquiry',
    'CardAcquisition',
    'Diagnosis',
    'Display',
    'EnableService',
    'Event',
    'GetTotals',
    'Input',
    'InputUpdate',
    'Login',
    'Logout',
    'Loyalty',
    'None',
    'Payment',
    'Print',
    'Reconciliation',
    'Reversal',
    'StoredValue',
    'TransactionStatus',
  ]),
  MessageType: z.literal('Request'),
  ServiceID: z.string().min(1).max(10),
  DeviceID: z.string().min(1).max(10).optional(),
  SaleID: z.string().min(1).max(255),
  POIID: z.string().min(1).max(255),
});
export type MessageHeader = z.infer<typeof messageHeader>;

const transactionId = z.object({ TransactionID: z.string().min(1).max(255), TimeStamp: z.string().max(40) });
/**
 * The schema of a date, with or without a time, in the usual form of ISO 8601 or with a space in place of the T. Only
 * the form is checked, so that no other text is stored.
 */
const moment = z
  .string()
  .regex(
    /^\d{4}-\d\d-\d\d([T ]\d\d:\d\d(:\d\d([.,]\d{1,9})?)?( ?(Z|[+-]\d\d(:?\d\d)?))?)?$/i,
    'must be a date and time',
  );
const majorAmount = z.number().min(0).max(99_999_999.999999);
const oneOrMore = (element: z.ZodString) =>
  z.union([element.transform((one) => [one]), z.array(element).max(50)]);

export const saleDataSchema = z.object({
  SaleTransactionID: transactionId,
  SaleReferenceID: z.string().min(1).max(255).optional(),
});
export type SaleData = z.infer<typeof saleDataSchema>;

export const paymentRequestSchema = z.object({
  SaleData: saleDataSchema.extend({
    /** A form, JSON in Base64, or an object. */
    SaleToAcquirerData: z.union([z.string(), z.record(z.string(), z.unknown())]).optional(),
  }),
  PaymentTransaction: z.object({
    AmountsReq: z.object({
      Currency: z.string().regex(/^[A-Z]{3}$/, 'must be three capital letters'),
      RequestedAmount: majorAmount,
      TipAmount: majorAmount.optional(),
      CashBackAmount: majorAmount.optional(),
    }),
    TransactionConditions: z
      .object({
        AllowedPaymentBrand: oneOrMore(z.string().max(50)).optional(),
        DebitPreferredFlag: z.boolean().optional(),
        CustomerLanguage: z
          .string()
          .regex(/^[a-z]{2}$/, 'must be two lower-case letters')
          .optional(),
        ForceEntryMode: oneOrMore(z.string()).optional(),
        MerchantCategoryCode: z
          .string()
          .regex(/^.{3,4}$/, 'must be three or four characters')
          .optional(),
      })
      .optional(),
  }),
  PaymentData: z
    .object({ PaymentType: z.string().optional(), CardAcquisitionReference: z.unknown().optional() })
    .optional(),
});
export type PaymentRequest = z.infer<typeof paymentRequestSchema>;

/**
 * A request to give back the money of a payment. If the request names no amount, all money that is left of the payment
 * is given back.
 */
export const reversalRequestSchema = z.object({
  SaleData: paymentRequestSchema.shape.SaleData.optional(),
  OriginalPOITransaction: z.object({
    POITransactionID: z.object({
      TransactionID: z.string().min(1).max(255),
      TimeStamp: moment.optional(),
    }),
  }),
  ReversedAmount: majorAmount.optional(),
  ReversalReason: z.enum(['CustCancel', 'MerchantCancel', 'Malfunction', 'Unable2Compl']),
});
export type ReversalRequest = z.infer<typeof reversalRequestSchema>;

/**
 * A request to abort a payment or to ask for its status. The request names the message of the payment. If it names no
 * till or terminal, the till or terminal in the request's own header is meant.
 */
export const abortOrStatusRequestSchema = z.object({
  MessageReference: z.object({
    MessageCategory: z.string().optional(),
    ServiceID: z.string().min(1).max(10),
    SaleID: z.string().min(1).max(255).optional(),
    POIID: z.string().min(1).max(255).optional(),
  }),
  ReceiptReprintFlag: z.boolean().optional(),
});

export const diagnosisRequestSchema = z.object({ HostDiagnosisFlag: z.boolean().optional() });

/**
 * A message of a POS: its header and its body. The name of the body's field comes from the message's category. The
 * body is not checked yet.
 */
export interface Message {
  readonly header: MessageHeader;
  readonly body: unknown;
}

/** Reads a message. Returns undefined if `json` is not a message, or if the message's header is not complete. */
export function readMessage(json: unknown): Message | undefined {
  const request = fieldOf(json, 'SaleToPOIRequest');
  const header = messageHeader.safeParse(fieldOf(request, 'MessageHeader'));
  if (!header.success) return undefined;
  return { header: header.data, body: fieldOf(request, `${header.data.MessageCategory}Request`) };
}

/** Gives a field of a value. Returns undefined if the value is not an object. */
export function fieldOf(value: unknown, name: string): unknown {
  if (typeof value !== 'object' || value === null) return undefined;
  return Object.hasOwn(value, name) ? (value as Record<string, unknown>)[name] : undefined;
}
