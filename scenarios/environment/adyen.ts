import { asRecord } from '../../shared/journal-fields.ts';
import { withoutUndefined } from '../../shared/without-undefined.ts';
import type { RequestedPayment } from './order.ts';
import { ScenarioError } from './scenario-context.ts';

/** The identifiers in a message of Adyen's Terminal API. Together they identify the payment that the message begins. */
export interface AdyenMessageId {
  readonly SaleID: string;
  readonly POIID: string;
  readonly ServiceID: string;
}

/** The path to which every message is sent. */
export const adyenTerminalApiPath = '/sync';

/** The time stamp of every message. When a message is repeated, its time stamp may be different. */
const anyTime = '2026-01-01T00:00:00.000Z';

const entryModes: Readonly<Record<string, string>> = {
  icc: 'ICC',
  contactless: 'Contactless',
  magStripe: 'MagStripe',
  keyed: 'Keyed',
};

/**
 * Makes the message that asks a terminal to collect a payment.
 *
 * @throws ScenarioError for an order that the message cannot express
 */
export function makeAdyenPaymentMessage(
  order: RequestedPayment,
  currency: string,
  name: AdyenMessageId,
): object {
  const {
    amount,
    reference = name.ServiceID,
    tip,
    brands,
    entry,
    language,
    debitPreferred,
    category,
  } = order;
  if (tip !== undefined && typeof tip !== 'boolean')
    throw new ScenarioError(
      "in Adyen's API the point of sale does not choose which tips are offered: write `tip: true`",
    );
  const conditions = withoutUndefined({
    AllowedPaymentBrand: brands,
    ForceEntryMode: entry?.map((mode) => entryModes[mode] ?? mode),
    CustomerLanguage: language,
    DebitPreferredFlag: debitPreferred,
    MerchantCategoryCode: category,
  });
  const body = {
    SaleData: {
      SaleTransactionID: { TransactionID: reference, TimeStamp: anyTime },
      ...(tip && { SaleToAcquirerData: 'tenderOption=AskGratuity' }),
    },
    PaymentTransaction: {
      AmountsReq: { Currency: currency, RequestedAmount: amount },
      ...(Object.keys(conditions).length > 0 && { TransactionConditions: conditions }),
    },
    ...order.body,
  };
  return message('Payment', name, body);
}

/** The sum to give back, in major units. If absent, everything that is left of the payment is given back. */
export interface RequestedGiveBack {
  readonly amount?: number;
  /** The currency, ISO 4217. The request is refused if the payment was made in another currency. */
  readonly currency?: string;
  readonly reference?: string;
  /** The language of screens and receipt. In Adyen's API, only a refund to a card has a language. */
  readonly language?: string;
  /** Top-level fields of the body. They replace the fields that are made from the other properties. */
  readonly body?: Record<string, unknown>;
}

/**
 * Makes the message that reverses a payment; no card is needed. `original` is the TransactionID in the answer to the
 * payment.
 */
export function makeReversalMessage(
  original: string,
  { amount, currency, reference = 'refund', body }: RequestedGiveBack,
  name: AdyenMessageId,
): object {
  return message('Reversal', name, {
    SaleData: {
      SaleTransactionID: { TransactionID: reference, TimeStamp: anyTime },
      ...(currency !== undefined && { SaleToAcquirerData: `currency=${currency}` }),
    },
    OriginalPOITransaction: { POITransactionID: { TransactionID: original, TimeStamp: anyTime } },
    ReversalReason: 'MerchantCancel',
    ...(amount !== undefined && { ReversedAmount: amount }),
    ...body,
  });
}

/** Returns the TransactionID in the answer to a payment or reversal. */
export function transactionIdIn(answer: unknown): string | undefined {
  const { PaymentResponse, ReversalResponse } = asRecord(asRecord(answer).SaleToPOIResponse);
  const { POIData } = asRecord(PaymentResponse ?? ReversalResponse);
  const { TransactionID } = asRecord(asRecord(POIData).POITransactionID);
  return typeof TransactionID === 'string' ? TransactionID : undefined;
}

/**
 * Makes the message that asks how a payment ended, or the message that aborts a payment. `ServiceID` identifies the new
 * message, not the payment.
 */
export function makeStatusOrAbortMessage(
  category: 'TransactionStatus' | 'Abort',
  ServiceID: string,
  payment: AdyenMessageId & { readonly MessageCategory?: string },
  receipts = true,
): object {
  const { MessageCategory = 'Payment', ...named } = payment;
  const MessageReference = { MessageCategory, ...named };
  const more = category === 'Abort' ? { AbortReason: 'MerchantAbort' } : { ReceiptReprintFlag: receipts };
  return message(category, { ...named, ServiceID }, { ...more, MessageReference });
}

/** Returns the category of a message that was sent: `Payment` or `Reversal`. */
export function sentCategoryOf(sent: unknown): string {
  const { SaleToPOIRequest } = sent as { SaleToPOIRequest: { MessageHeader: { MessageCategory: string } } };
  return SaleToPOIRequest.MessageHeader.MessageCategory;
}

/** Makes a copy of a payment or reversal message with another amount or ServiceID. */
export function makeChangedPaymentMessage(
  sent: unknown,
  { amount, name }: { amount: number | undefined; name: AdyenMessageId },
): object {
  const { SaleToPOIRequest } = sent as { SaleToPOIRequest: Record<string, Record<string, never>> };
  const { PaymentRequest = {}, ReversalRequest } = SaleToPOIRequest;
  if (ReversalRequest)
    return message('Reversal', name, {
      ...ReversalRequest,
      ...(amount !== undefined && { ReversedAmount: amount }),
    });
  const { PaymentTransaction } = PaymentRequest as { PaymentTransaction?: { AmountsReq?: object } };
  if (amount === undefined) return message('Payment', name, PaymentRequest);
  const AmountsReq = { ...PaymentTransaction?.AmountsReq, RequestedAmount: amount };
  return message('Payment', name, {
    ...PaymentRequest,
    PaymentTransaction: { ...PaymentTransaction, AmountsReq },
  });
}

function message(category: string, name: AdyenMessageId, body: object): object {
  return {
    SaleToPOIRequest: {
      MessageHeader: {
        ProtocolVersion: '3.0',
        MessageClass: 'Service',
        MessageCategory: category,
        MessageType: 'Request',
        ...name,
      },
      [`${category}Request`]: body,
    },
  };
}
