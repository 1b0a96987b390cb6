import { largestAmountMinor } from '../../../shared/money.ts';
import { type EntryMode, type ErrorCondition, entryModes } from '../../../shared/nexo/enums.ts';
import type { Account } from '../../accounts/schemas.ts';
import { convertToMinorAmount } from '../../http/amounts.ts';
import { amountToGiveBack } from '../../payments/amount-to-give-back.ts';
import type { OriginalPayment, OriginalReference } from '../../payments/core/giving-back.ts';
import type { PaymentOrder } from '../../payments/core/order.ts';
import { findTipIndexAboveMaximum, makeDefaultTips } from '../../payments/core/tip-limit.ts';
import { readAcquirerData } from './acquirer-data.ts';
import type { MessageHeader, PaymentRequest, ReversalRequest } from './message.ts';
import { makeSaleReference } from './payment-key.ts';

/** Thrown if a message cannot be carried out. `condition` says why, in nexo's terms. */
export class MessageRefusedError extends Error {
  readonly condition: ErrorCondition;
  /** The HTTP status with which the native API would refuse the request. */
  readonly status: number;
  /** Whether an earlier message had the same key, but another body. */
  readonly reusesKey: boolean;

  constructor(
    condition: ErrorCondition,
    message: string,
    { status = 422, reusesKey = false }: { status?: number; reusesKey?: boolean } = {},
  ) {
    super(message);
    this.condition = condition;
    this.status = status;
    this.reusesKey = reusesKey;
  }
}

/**
 * The types of payments that are handled like an ordinary payment. Some of these types authorise an amount for a later
 * capture. The emulator has no captures.
 */
const paymentTypes = ['Normal', 'OneTimeReservation', 'FirstReservation', 'Refund'];

/**
 * Refuses a request if it has a part that real terminals support, but the emulated terminals do not. If the gateway
 * ignored such a part, it would make a different payment from the one that the till requested. The request is checked
 * before anything is stored.
 *
 * @throws MessageRefusedError UnavailableService
 */
export function refuseUnsupportedParts({ PaymentTransaction, PaymentData }: PaymentRequest): void {
  const { AmountsReq, TransactionConditions } = PaymentTransaction;
  const { PaymentType = 'Normal', CardAcquisitionReference } = PaymentData ?? {};
  const isNot = (what: string) => {
    throw new MessageRefusedError('UnavailableService', `${what} is not emulated`);
  };
  if (!paymentTypes.includes(PaymentType)) isNot(`PaymentType ${PaymentType}`);
  if (CardAcquisitionReference !== undefined) isNot('CardAcquisitionReference');
  if (AmountsReq.TipAmount) isNot('TipAmount');
  if (AmountsReq.CashBackAmount) isNot('CashBackAmount');
  for (const mode of TransactionConditions?.ForceEntryMode ?? [])
    if (!entryModes.some((known) => known === mode)) isNot(`ForceEntryMode ${mode}`);
}

/**
 * Makes the gateway's form of an order (`PaymentOrder`) from a PaymentRequest.
 *
 * @throws MessageRefusedError PaymentRestriction if the currency is not the account's currency, or if a tip could make the
 *   total too large
 * @throws ApiError invalidAmount
 */
export function readPaymentOrder(
  { SaleData, PaymentTransaction, PaymentData }: PaymentRequest,
  { SaleID }: Pick<MessageHeader, 'SaleID'>,
  account: Account,
): PaymentOrder {
  const { AmountsReq, TransactionConditions } = PaymentTransaction;
  const { TransactionID } = SaleData.SaleTransactionID;
  const { currency, transactionLimit } = account;
  if (AmountsReq.Currency !== currency)
    throw new MessageRefusedError(
      'PaymentRestriction',
      `This account takes ${currency}, not ${AmountsReq.Currency}`,
    );
  const amount = convertToMinorAmount(AmountsReq.RequestedAmount, currency, 'AmountsReq.RequestedAmount');
  const largest = largestAmountMinor(currency);
  const { asksGratuity } = readAcquirerData(SaleData.SaleToAcquirerData);
  const tips =
    asksGratuity && !isUnreferencedRefund(PaymentData)
      ? makeDefaultTips(Math.min(transactionLimit, largest))
      : undefined;
  if (findTipIndexAboveMaximum(largest, amount, tips) !== undefined)
    throw new MessageRefusedError('PaymentRestriction', 'A tip would make a total above 99999999.99');
  return {
    amount,
    currency,
    tips,
    conditions: TransactionConditions && {
      ...TransactionConditions,
      ForceEntryMode: TransactionConditions.ForceEntryMode as EntryMode[] | undefined,
    },
    saleReference: makeSaleReference(SaleID, TransactionID),
    printedReference: TransactionID,
  };
}

/**
 * Returns whether a request gives money back to a presented card without naming an earlier payment (nexo's unreferenced
 * refund).
 */
export function isUnreferencedRefund(data: PaymentRequest['PaymentData']): boolean {
  return data?.PaymentType === 'Refund';
}

/**
 * Gives the currency that a reversal names; undefined if the reversal names none. If the currency is malformed, the
 * reversal is refused, because a reversal moves money. The error does not repeat the malformed text (B126).
 *
 * @throws MessageRefusedError MessageFormat
 */
export function readReversalCurrency({ SaleData }: ReversalRequest): string | undefined {
  const { currency } = readAcquirerData(SaleData?.SaleToAcquirerData);
  if (currency === undefined) return undefined;
  if (typeof currency === 'string' && /^[A-Z]{3}$/.test(currency)) return currency;
  throw new MessageRefusedError(
    'MessageFormat',
    'currency in SaleToAcquirerData must be three capital letters',
  );
}

/**
 * Makes the gateway's form of an order (`PaymentOrder`) from a ReversalRequest.
 *
 * @throws ApiError invalidAmount, and the errors of {@link amountToGiveBack}
 */
export function readReversalOrder(
  request: ReversalRequest,
  { SaleID }: Pick<MessageHeader, 'SaleID'>,
  original: OriginalPayment,
): PaymentOrder {
  const { SaleData, ReversedAmount } = request;
  const { currency } = original;
  const amount =
    ReversedAmount === undefined
      ? undefined
      : convertToMinorAmount(ReversedAmount, currency, 'ReversedAmount');
  const asked = { amount, currency: readReversalCurrency(request) };
  const transaction = SaleData?.SaleTransactionID.TransactionID;
  return {
    original,
    amount: amountToGiveBack(original, asked),
    currency,
    tips: undefined,
    conditions: undefined,
    saleReference: transaction === undefined ? undefined : makeSaleReference(SaleID, transaction),
    ...(transaction !== undefined && { printedReference: transaction }),
  };
}

/**
 * Gives the payment that a reversal names. Adyen names a payment by `tenderReference.pspReference`, or by the
 * pspReference alone.
 */
export function readOriginalReference({ OriginalPOITransaction }: ReversalRequest): OriginalReference {
  const { TransactionID } = OriginalPOITransaction.POITransactionID;
  const pspReference = readPspReference(TransactionID);
  return pspReference === TransactionID
    ? { pspReference }
    : { pspReference, terminalReference: TransactionID };
}

/** Gives the acquirer's reference. In the answer to a payment, this is the last part of the transaction's reference. */
export function readPspReference(transactionId: string): string {
  return transactionId.slice(transactionId.lastIndexOf('.') + 1);
}
