import { z } from 'zod';
import { attemptIdSchema, maskedPanSchema } from './acquirer.ts';
import {
  authenticationMethodSchema,
  entryModeSchema,
  errorConditionSchema,
  paymentBrandSchema,
} from './enums.ts';

const transactionId = z.object({ TransactionID: z.string().min(1), TimeStamp: z.string() });
const majorAmount = z.number().min(0).max(99_999_999.999999);

const saleData = z.object({
  SaleTransactionID: transactionId,
  SaleReferenceID: z.string().optional(),
  SaleToPOIData: z.string().optional(),
});

const response = z.object({
  Result: z.enum(['Success', 'Failure']),
  ErrorCondition: errorConditionSchema.optional(),
  /** Pairs of a key and a value, percent-encoded: `key=value&key=value`. */
  AdditionalResponse: z.string().optional(),
});

export const paymentRequestSchema = z.object({
  SaleData: saleData,
  /** The type of the payment. If absent, it is Normal. */
  PaymentData: z.object({ PaymentType: z.enum(['Normal', 'Refund']).optional() }).optional(),
  PaymentTransaction: z.object({
    AmountsReq: z.object({ Currency: z.string().regex(/^[A-Z]{3}$/), RequestedAmount: majorAmount }),
    TransactionConditions: z
      .object({
        AllowedPaymentBrand: z.array(z.string()).optional(),
        DebitPreferredFlag: z.boolean().optional(),
        CustomerLanguage: z.string().optional(),
        ForceEntryMode: z.array(entryModeSchema).optional(),
        MerchantCategoryCode: z.string().optional(),
      })
      .optional(),
  }),
});
export type PaymentRequest = z.infer<typeof paymentRequestSchema>;

const outputText = z.object({
  /** The text of a receipt line, form-encoded: name=…&value=…&key=… */
  Text: z.string(),
  CharacterStyle: z.enum(['Bold', 'Normal']).optional(),
  EndOfLineFlag: z.boolean(),
});
export type OutputText = z.infer<typeof outputText>;

const paymentReceipt = z.object({
  DocumentQualifier: z.enum(['CashierReceipt', 'CustomerReceipt']),
  RequiredSignatureFlag: z.boolean(),
  OutputContent: z.object({ OutputFormat: z.literal('Text'), OutputText: z.array(outputText) }),
});
export type PaymentReceipt = z.infer<typeof paymentReceipt>;

/** Identifies the payment of an answer: SaleData has the gateway's identifier, and POIData has the terminal's. */
const identities = {
  SaleData: saleData.omit({ SaleToPOIData: true }),
  POIData: z.object({
    POITransactionID: transactionId,
    /** The last attempt at the host (B134). It is absent if the host was not asked, and in answers of version 0.1.0. */
    AttemptID: attemptIdSchema.optional(),
  }),
};

const paymentAcquirerData = z.object({
  MerchantID: z.string(),
  AcquirerPOIID: z.string(),
  AcquirerTransactionID: transactionId.optional(),
  ApprovalCode: z.string().optional(),
});

export const paymentResponseSchema = z.object({
  Response: response,
  ...identities,
  /** The card and the amounts; absent if no card was read (B35). */
  PaymentResult: z
    .object({
      PaymentInstrumentData: z.object({
        PaymentInstrumentType: z.literal('Card'),
        CardData: z.object({
          PaymentBrand: paymentBrandSchema,
          MaskedPan: maskedPanSchema,
          EntryMode: z.array(entryModeSchema),
          CardCountryCode: z.string(),
          /**
           * The card's sequence number and expiry; absent in answers of version 0.1.0. nexo also has fields for the
           * full card number and the track, but terminals never send them.
           */
          SensitiveCardData: z
            .object({
              CardSeqNumb: z
                .string()
                .regex(/^\d{2,3}$/)
                .optional(),
              /** The expiry as MMYY. */
              ExpiryDate: z
                .string()
                .regex(/^\d{4}$/)
                .optional(),
            })
            .optional(),
        }),
      }),
      AmountsResp: z
        .object({ Currency: z.string(), AuthorizedAmount: majorAmount, TipAmount: majorAmount.optional() })
        .optional(),
      AuthenticationMethod: z.array(authenticationMethodSchema).optional(),
      OnlineFlag: z.boolean(),
      PaymentAcquirerData: paymentAcquirerData.optional(),
    })
    .optional(),
  /** The receipts. They are present only on success. */
  PaymentReceipt: z.array(paymentReceipt).optional(),
});
export type PaymentResponse = z.infer<typeof paymentResponseSchema>;

const originalTransaction = z.object({ POITransactionID: transactionId });

/** Asks to give back money of a payment. No card is presented. */
export const reversalRequestSchema = z.object({
  SaleData: saleData,
  OriginalPOITransaction: originalTransaction,
  ReversalReason: z.enum(['CustCancel', 'MerchantCancel', 'Malfunction', 'Unable2Compl']),
  /** The amount to give back, in the currency that SaleToPOIData names. */
  ReversedAmount: majorAmount,
});
export type ReversalRequest = z.infer<typeof reversalRequestSchema>;

/** The answer to a reversal. pinpad has added SaleData and PaymentAcquirerData to nexo's message. */
export const reversalResponseSchema = z.object({
  Response: response,
  ...identities,
  /** The payment whose money is given back; absent if the request could not be read. */
  OriginalPOITransaction: originalTransaction.optional(),
  /** The amount that was given back. It is present only on success. */
  ReversedAmount: majorAmount.optional(),
  /** The host's part of the answer; absent if the host was not asked. */
  PaymentAcquirerData: paymentAcquirerData.optional(),
  /** The receipts. They are present only on success. */
  PaymentReceipt: z.array(paymentReceipt).optional(),
});
export type ReversalResponse = z.infer<typeof reversalResponseSchema>;

const messageReference = z.object({ MessageCategory: z.string(), ServiceID: z.string() });

export const abortRequestSchema = z.object({ MessageReference: messageReference, AbortReason: z.string() });
export type AbortRequest = z.infer<typeof abortRequestSchema>;

export const transactionStatusRequestSchema = z.object({ MessageReference: messageReference });
export type TransactionStatusRequest = z.infer<typeof transactionStatusRequestSchema>;

/**
 * The answer to a status request. If the result is Success, the answer contains the original answer. As in nexo,
 * InProgress and NotFound are failures.
 */
export const transactionStatusResponseSchema = z.object({
  Response: response,
  MessageReference: messageReference,
  RepeatedMessageResponse: z
    .object({
      /** Contains exactly one response: to a payment or refund, or to a reversal. */
      RepeatedResponseMessageBody: z.object({
        PaymentResponse: paymentResponseSchema.optional(),
        ReversalResponse: reversalResponseSchema.optional(),
      }),
    })
    .optional(),
});
export type TransactionStatusResponse = z.infer<typeof transactionStatusResponseSchema>;

/** Reports the progress of a payment. PredefinedContent.ReferenceID is TransactionID=…&TimeStamp=…&event=…. */
export const displayRequestSchema = z.object({
  DisplayOutput: z
    .array(
      z.object({
        ResponseRequiredFlag: z.literal(false),
        Device: z.literal('CashierDisplay'),
        InfoQualify: z.literal('Status'),
        OutputContent: z.object({
          OutputFormat: z.literal('MessageRef'),
          PredefinedContent: z.object({ ReferenceID: z.string() }),
        }),
      }),
    )
    .min(1)
    .max(8),
});

export const diagnosisRequestSchema = z.object({ HostDiagnosisFlag: z.boolean().optional() });
export const diagnosisResponseSchema = z.object({
  Response: response,
  POIStatus: z.object({ GlobalStatus: z.enum(['OK', 'Busy', 'Maintenance', 'Unreachable']) }),
});
export type DiagnosisResponse = z.infer<typeof diagnosisResponseSchema>;

export const eventNotificationSchema = z.object({
  TimeStamp: z.string(),
  EventToNotify: z.enum(['CardInserted', 'CardRemoved', 'Initialised', 'Shutdown', 'Reject', 'OutOfOrder']),
  EventDetails: z.string().optional(),
});
export type EventNotification = z.infer<typeof eventNotificationSchema>;
