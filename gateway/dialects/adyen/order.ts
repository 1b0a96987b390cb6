import { largestAmount } from '../../../shared/money.ts';
import { type EntryMode, type ErrorCondition, entryModes } from '../../../shared/nexo/enums.ts';
import type { Account } from '../../accounts/schemas.ts';
import { readAmount } from '../../http/amounts.ts';
import type { PaymentOrder } from '../../payments/core/order.ts';
import { tipAbove, usualTips } from '../../payments/core/tip-limit.ts';
import { readAcquirerData } from './acquirer-data.ts';
import { saleOf } from './key.ts';
import type { MessageHeader, PaymentRequest } from './message.ts';

/** Why a message cannot be carried out, as nexo says it. */
export class NotDone extends Error {
  readonly condition: ErrorCondition;
  /** With which status the payments API refuses the same. */
  readonly status: number;

  constructor(condition: ErrorCondition, message: string, status = 422) {
    super(message);
    this.condition = condition;
    this.status = status;
  }
}

/** What is paid like any other payment: an authorisation that is captured later is captured by nobody here. */
const paymentTypes = ['Normal', 'OneTimeReservation', 'FirstReservation'];

/**
 * Refuses what a real terminal would do and these do not, before anything is kept: to pay without it would be another payment.
 *
 * @throws NotDone UnavailableService
 */
export function refuseWhatIsNotEmulated({ PaymentTransaction, PaymentData }: PaymentRequest): void {
  const { AmountsReq, TransactionConditions } = PaymentTransaction;
  const { PaymentType = 'Normal', CardAcquisitionReference } = PaymentData ?? {};
  const isNot = (what: string) => {
    throw new NotDone('UnavailableService', `${what} is not emulated`);
  };
  if (!paymentTypes.includes(PaymentType)) isNot(`PaymentType ${PaymentType}`);
  if (CardAcquisitionReference !== undefined) isNot('CardAcquisitionReference');
  if (AmountsReq.TipAmount) isNot('TipAmount');
  if (AmountsReq.CashBackAmount) isNot('CashBackAmount');
  for (const mode of TransactionConditions?.ForceEntryMode ?? [])
    if (!entryModes.some((known) => known === mode)) isNot(`ForceEntryMode ${mode}`);
}

/**
 * A PaymentRequest as an order.
 *
 * @throws NotDone PaymentRestriction where the currency is not the account's, or a tip makes more than there can be; ApiError
 * invalidAmount
 */
export function orderOf(
  { SaleData, PaymentTransaction }: PaymentRequest,
  { SaleID }: Pick<MessageHeader, 'SaleID'>,
  account: Account,
): PaymentOrder {
  const { AmountsReq, TransactionConditions } = PaymentTransaction;
  const { TransactionID } = SaleData.SaleTransactionID;
  const { currency, transactionLimit } = account;
  if (AmountsReq.Currency !== currency)
    throw new NotDone('PaymentRestriction', `This account takes ${currency}, not ${AmountsReq.Currency}`);
  const amount = readAmount(AmountsReq.RequestedAmount, currency, 'AmountsReq.RequestedAmount');
  const largest = largestAmount(currency);
  const { asksGratuity } = readAcquirerData(SaleData.SaleToAcquirerData);
  const tips = asksGratuity ? usualTips(Math.min(transactionLimit, largest)) : undefined;
  if (tipAbove(largest, amount, tips) !== undefined)
    throw new NotDone('PaymentRestriction', 'A tip would make a total above 99999999.99');
  return {
    amount,
    currency,
    tips,
    conditions: TransactionConditions && {
      ...TransactionConditions,
      ForceEntryMode: TransactionConditions.ForceEntryMode as EntryMode[] | undefined,
    },
    saleReference: saleOf(SaleID, TransactionID),
    printedReference: TransactionID,
  };
}
