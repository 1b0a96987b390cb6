import { isoTime } from '../../shared/clock.ts';
import { largestAmount, toMajor } from '../../shared/money.ts';
import type { PaymentRequest } from '../../shared/nexo/bodies.ts';
import type { SaleToPoiData } from '../../shared/nexo/sale-to-poi-data.ts';
import type { Account } from '../accounts/schemas.ts';
import { checkSize, invalidAmount, readAmount } from '../http/amounts.ts';
import type { ErrorCode } from '../http/errors.ts';
import type { Terminal } from '../terminals/directory.ts';
import { type Gratuity, hasValue, tipAbove, tipCouldExceed, tipPrompt } from './gratuity.ts';
import { entryModeNames, type PaymentRequestBody } from './schemas.ts';

const requestedAmountPath = 'paymentTransaction.amountsReq.requestedAmount';
const optionPath = (index: number) => `gratuity.options.${index}.value`;

/** The path of the n-th option with a value; the default ones stand in no request. */
function numericalOptionPath(options: Gratuity['options'], nth: number): string {
  if (!options) return 'gratuity';
  return optionPath(options.findIndex((_, at) => options.slice(0, at + 1).filter(hasValue).length > nth));
}

/** A request whose amounts are read: whole minor units of the account's currency. */
export interface ReadRequest {
  body: PaymentRequestBody;
  amount: number;
  currency: string;
  tips: SaleToPoiData['gratuity'];
}

/**
 * Checks the amounts of a request as far as no setting of the account decides.
 *
 * @throws ApiError invalidAmount (B12)
 */
export function checkAmounts({ paymentTransaction, gratuity }: PaymentRequestBody): void {
  checkSize(paymentTransaction.amountsReq.requestedAmount, requestedAmountPath);
  if (!gratuity?.enabled) return;
  for (const [index, { type, value = 0 }] of (gratuity.options ?? []).entries())
    if (type === 'fixed') checkSize(value, optionPath(index));
}

/**
 * Reads the amounts of a request in the account's currency.
 *
 * @throws ApiError invalidAmount (B12, B13)
 */
export function readRequest(body: PaymentRequestBody, account: Account): ReadRequest {
  const { currency, transactionLimit } = account;
  const { requestedAmount } = body.paymentTransaction.amountsReq;
  const amount = readAmount(requestedAmount, currency, requestedAmountPath);
  const largest = largestAmount(currency);
  const tips = tipPrompt(body.gratuity, currency, Math.min(transactionLimit, largest));
  if (tips && 'fault' in tips) throw invalidAmount(optionPath(tips.index), tips.fault, currency);
  const tooMuch = tipAbove(largest, amount, tips);
  if (tooMuch !== undefined)
    throw invalidAmount(numericalOptionPath(body.gratuity?.options, tooMuch), 'totalTooLarge', currency);
  return { body, amount, currency, tips };
}

/** Why a terminal cannot take a request, by the checks that come after the replay's (B116). */
export function refusalOf(request: ReadRequest, terminal: Terminal, account: Account): ErrorCode | undefined {
  if (terminal.payoutAccount === null) return 'payoutAccountMissing';
  if (request.amount > account.transactionLimit) return 'amountExceedsTransactionLimit';
  if (tipCouldExceed(request.amount, request.tips)) return 'gratuityExceedsTransactionLimit';
  return undefined;
}

/** The nexo message of a payment. */
export function paymentMessage(
  request: ReadRequest,
  payment: { id: string; acceptedAt: number; pinRule: string | undefined },
  terminal: Terminal,
  account: Account,
): PaymentRequest {
  const { body, amount, currency, tips } = request;
  const { name, address } = terminal.store;
  const beside: SaleToPoiData = {
    gratuity: tips,
    receiptHeader: [name, address].filter((line) => line !== ''),
    merchantId: account.merchantId,
    ...(payment.pinRule === undefined ? {} : { pinAlwaysWrong: true }),
  };
  const reference = body.saleData?.saleReferenceId;
  return {
    SaleData: {
      SaleTransactionID: { TransactionID: payment.id, TimeStamp: isoTime(payment.acceptedAt) },
      SaleReferenceID: reference,
      SaleToPOIData: JSON.stringify(beside),
    },
    PaymentTransaction: {
      AmountsReq: { Currency: currency, RequestedAmount: toMajor(amount, currency) },
      TransactionConditions: body.transactionConditions && conditionsOf(body.transactionConditions),
    },
  };
}

function conditionsOf(
  conditions: NonNullable<PaymentRequestBody['transactionConditions']>,
): NonNullable<PaymentRequest['PaymentTransaction']['TransactionConditions']> {
  const { allowedPaymentBrand, debitPreferredFlag, customerLanguage, forceEntryMode, merchantCategoryCode } =
    conditions;
  return {
    AllowedPaymentBrand: allowedPaymentBrand,
    DebitPreferredFlag: debitPreferredFlag,
    CustomerLanguage: customerLanguage,
    ForceEntryMode: forceEntryMode?.map((mode) => entryModeNames[mode]),
    MerchantCategoryCode: merchantCategoryCode,
  };
}
