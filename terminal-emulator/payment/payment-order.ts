import { type Language, languageOf } from '../../shared/emulator/screen.ts';
import { parseMajor } from '../../shared/money.ts';
import type { PaymentRequest } from '../../shared/nexo/bodies.ts';
import { type EntryMode, entryModes } from '../../shared/nexo/enums.ts';
import { type SaleToPoiData, saleToPoiData } from '../../shared/nexo/sale-to-poi-data.ts';

/** Which payment a message is about, by each side's identifier of it: what every answer repeats. */
export interface PaymentReferences {
  readonly serviceId: string;
  /** The terminal's own name for it. */
  readonly tenderReference: string;
  readonly transactionId: string;
  readonly timeStamp: string;
  readonly saleReference?: string;
}

/** A PaymentRequest as the terminal works with it: amounts in minor units, conditions with their defaults. */
export interface PaymentOrder {
  readonly sale: PaymentReferences;
  readonly currency: string;
  readonly requestedMinor: number;
  readonly language: Language;
  /** Absent: every brand is accepted. */
  readonly brands?: readonly string[];
  /** The ways a card may come in (B21). */
  readonly ways: readonly EntryMode[];
  readonly debitPreferred: boolean;
  readonly gratuity?: SaleToPoiData['gratuity'];
  readonly pinAlwaysWrong: boolean;
  readonly receiptHeader: readonly string[];
  readonly merchantId: string;
}

/** The request cannot be worked with; the payment concludes as messageFormat with this message. */
export class UnreadableOrder extends Error {}

export function paymentReferences(
  serviceId: string,
  tenderReference: string,
  request: PaymentRequest,
): PaymentReferences {
  const { SaleTransactionID, SaleReferenceID } = request.SaleData;
  return {
    serviceId,
    tenderReference,
    transactionId: SaleTransactionID.TransactionID,
    timeStamp: SaleTransactionID.TimeStamp,
    saleReference: SaleReferenceID,
  };
}

/**
 * Reads what a PaymentRequest asks for.
 *
 * @throws UnreadableOrder when the amount or SaleToPOIData makes no sense.
 */
export function readOrder(sale: PaymentReferences, request: PaymentRequest): PaymentOrder {
  const { AmountsReq, TransactionConditions: conditions } = request.PaymentTransaction;
  const data = readSaleToPoiData(request.SaleData.SaleToPOIData);
  return {
    sale,
    currency: AmountsReq.Currency,
    requestedMinor: readAmount(AmountsReq.RequestedAmount, AmountsReq.Currency),
    language: languageOf(conditions?.CustomerLanguage),
    brands: conditions?.AllowedPaymentBrand,
    ways: conditions?.ForceEntryMode?.length ? conditions.ForceEntryMode : entryModes,
    debitPreferred: conditions?.DebitPreferredFlag ?? false,
    gratuity: data.gratuity,
    pinAlwaysWrong: data.pinAlwaysWrong ?? false,
    receiptHeader: data.receiptHeader,
    merchantId: data.merchantId,
  };
}

function readAmount(major: number, currency: string): number {
  try {
    const minor = parseMajor(major, currency);
    if (typeof minor === 'number') return minor;
    throw new UnreadableOrder(`RequestedAmount ${major} ${currency}: ${minor}`);
  } catch (error) {
    if (error instanceof RangeError) throw new UnreadableOrder(error.message);
    throw error;
  }
}

function readSaleToPoiData(text: string | undefined): SaleToPoiData {
  try {
    return saleToPoiData.parse(JSON.parse(text ?? ''));
  } catch {
    throw new UnreadableOrder('SaleToPOIData is not what this terminal understands');
  }
}
