import { type GiveBackKind, type Language, languageOrEnglish } from '../../shared/emulator/screen.ts';
import { majorToMinorOrFault } from '../../shared/money.ts';
import type { PaymentRequest, ReversalRequest } from '../../shared/nexo/bodies.ts';
import { type EntryMode, entryModes } from '../../shared/nexo/enums.ts';
import type { Message } from '../../shared/nexo/message.ts';
import { type SaleToPoiData, saleToPoiDataSchema } from '../../shared/nexo/sale-to-poi-data.ts';

/** The identifiers that the POS and the terminal have for a payment. Every answer repeats them. */
export interface PaymentReferences {
  readonly serviceId: string;
  /** The terminal's own reference for the payment. */
  readonly tenderReference: string;
  readonly transactionId: string;
  readonly timeStamp: string;
  readonly saleReference?: string;
  /** How money is given back. The field is absent for a payment, and in the records that earlier releases stored. */
  readonly givesBack?: GiveBackKind;
  /** Only for a reversal: the transaction whose money is given back. The request names this transaction. */
  readonly original?: { readonly TransactionID: string; readonly TimeStamp: string };
}

/** The requests of a POS that start the payment machine. */
export type OrderMessage = Extract<Message, { kind: 'PaymentRequest' | 'ReversalRequest' }>;

/** The card of the payment that is reversed. It contains only the facts about the card that are known. */
export type OriginalCard = NonNullable<NonNullable<SaleToPoiData['reversal']>['card']>;

/**
 * A request in the terminal's own form: amounts are in minor units, and conditions that the request leaves out have
 * their defaults.
 */
export interface TerminalOrder {
  readonly sale: PaymentReferences;
  readonly currency: string;
  readonly requestedMinor: number;
  readonly language: Language;
  /** The accepted brands. If absent, every brand is accepted. */
  readonly brands?: readonly string[];
  /** The ways in which a card can be presented (B21). */
  readonly ways: readonly EntryMode[];
  readonly debitPreferred: boolean;
  readonly gratuity?: SaleToPoiData['gratuity'];
  readonly pinAlwaysWrong: boolean;
  readonly receiptHeader: readonly string[];
  readonly merchantId: string;
  /**
   * The card of the payment that is reversed. The field is present only for a reversal, because no card is presented
   * for a reversal.
   */
  readonly originalCard?: OriginalCard;
}

/**
 * Thrown for a request that makes no sense. The payment then ends with the condition MessageFormat and the message of
 * this error.
 */
export class UnreadableOrderError extends Error {}

export function readPaymentReferences(
  { kind, header, body }: OrderMessage,
  tenderReference: string,
): PaymentReferences {
  const { SaleTransactionID, SaleReferenceID } = body.SaleData;
  return {
    serviceId: header.ServiceID,
    tenderReference,
    transactionId: SaleTransactionID.TransactionID,
    timeStamp: SaleTransactionID.TimeStamp,
    saleReference: SaleReferenceID,
    ...(kind === 'ReversalRequest'
      ? { givesBack: 'reversal', original: body.OriginalPOITransaction.POITransactionID }
      : body.PaymentData?.PaymentType === 'Refund' && { givesBack: 'refund' }),
  };
}

/**
 * Turns a nexo request into the terminal's own form.
 * @throws UnreadableOrderError if the amount or SaleToPOIData makes no sense
 */
export function readOrder(sale: PaymentReferences, { kind, body }: OrderMessage): TerminalOrder {
  const data = readSaleToPoiData(body.SaleData.SaleToPOIData);
  const asked = kind === 'ReversalRequest' ? readReversal(body, data) : readPayment(body, data);
  return {
    sale,
    ...asked,
    pinAlwaysWrong: data.pinAlwaysWrong ?? false,
    receiptHeader: data.receiptHeader,
    merchantId: data.merchantId,
  };
}

/** The parts of an order that payments and reversals fill in differently. */
type Asked = Omit<TerminalOrder, 'sale' | 'pinAlwaysWrong' | 'receiptHeader' | 'merchantId'>;

/** Reads a payment or a refund. Both take a card; a refund has no tip. */
function readPayment({ PaymentData, PaymentTransaction }: PaymentRequest, data: SaleToPoiData): Asked {
  const { AmountsReq, TransactionConditions: conditions } = PaymentTransaction;
  return {
    currency: AmountsReq.Currency,
    requestedMinor: readAmount(AmountsReq.RequestedAmount, AmountsReq.Currency),
    language: languageOrEnglish(conditions?.CustomerLanguage),
    brands: conditions?.AllowedPaymentBrand,
    ways: conditions?.ForceEntryMode?.length ? conditions.ForceEntryMode : entryModes,
    debitPreferred: conditions?.DebitPreferredFlag ?? false,
    gratuity: PaymentData?.PaymentType === 'Refund' ? undefined : data.gratuity,
  };
}

function readReversal({ ReversedAmount }: ReversalRequest, { reversal }: SaleToPoiData): Asked {
  if (!reversal) throw new UnreadableOrderError('SaleToPOIData does not name the payment to reverse');
  return {
    currency: reversal.currency,
    requestedMinor: readAmount(ReversedAmount, reversal.currency),
    language: languageOrEnglish(reversal.customerLanguage),
    ways: [],
    debitPreferred: false,
    originalCard: reversal.card,
  };
}

function readAmount(major: number, currency: string): number {
  try {
    const minor = majorToMinorOrFault(major, currency);
    if (typeof minor === 'number') return minor;
    throw new UnreadableOrderError(`amount ${major} ${currency}: ${minor}`);
  } catch (error) {
    if (error instanceof RangeError) throw new UnreadableOrderError(error.message);
    throw error;
  }
}

function readSaleToPoiData(text: string | undefined): SaleToPoiData {
  try {
    return saleToPoiDataSchema.parse(JSON.parse(text ?? ''));
  } catch {
    throw new UnreadableOrderError('this terminal does not understand SaleToPOIData');
  }
}
