import { isoTime } from '../../shared/clock.ts';
import { toMajor } from '../../shared/money.ts';
import type { PaymentRequest } from '../../shared/nexo/bodies.ts';
import type { SaleToPoiData } from '../../shared/nexo/sale-to-poi-data.ts';
import type { Account } from '../accounts/schemas.ts';
import { invalidAmount, readAmount } from '../http/amounts.ts';
import type { ErrorCode } from '../http/errors.ts';
import type { Terminal } from '../terminals/directory.ts';
import { tipCouldExceed, tipPrompt } from './gratuity.ts';
import { entryModeNames, type PaymentRequestBody } from './schemas.ts';

/** A request whose amounts are read: whole minor units of the account's currency. */
export interface ReadRequest {
  body: PaymentRequestBody;
  amount: number;
  currency: string;
  tips: SaleToPoiData['gratuity'];
}

/**
 * Reads the amounts of a request.
 *
 * @throws ApiError invalidAmount (decision 4)
 */
export function readRequest(body: PaymentRequestBody, account: Account): ReadRequest {
  const { currency, transactionLimit } = account;
  const { requestedAmount } = body.paymentTransaction.amountsReq;
  const amount = readAmount(requestedAmount, currency, 'paymentTransaction.amountsReq.requestedAmount');
  const tips = tipPrompt(body.gratuity, currency, transactionLimit);
  if (tips && 'fault' in tips)
    throw invalidAmount(`gratuity.options.${tips.index}.value`, tips.fault, currency);
  return { body, amount, currency, tips };
}

/** Why a terminal cannot take a request, by the checks that come after the replay's (decision 52). */
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
    ...(tips ? { gratuity: tips } : {}),
    receiptHeader: [name, address].filter((line) => line !== ''),
    merchantId: account.merchantId,
    ...(payment.pinRule === undefined ? {} : { pinAlwaysWrong: true }),
  };
  const reference = body.saleData?.saleReferenceId;
  return {
    SaleData: {
      SaleTransactionID: { TransactionID: payment.id, TimeStamp: isoTime(payment.acceptedAt) },
      ...(reference === undefined ? {} : { SaleReferenceID: reference }),
      SaleToPOIData: JSON.stringify(beside),
    },
    PaymentTransaction: {
      AmountsReq: { Currency: currency, RequestedAmount: toMajor(amount, currency) },
      ...(body.transactionConditions
        ? { TransactionConditions: conditionsOf(body.transactionConditions) }
        : {}),
    },
  };
}

function conditionsOf(
  conditions: NonNullable<PaymentRequestBody['transactionConditions']>,
): NonNullable<PaymentRequest['PaymentTransaction']['TransactionConditions']> {
  const { allowedPaymentBrand, debitPreferredFlag, customerLanguage, forceEntryMode, merchantCategoryCode } =
    conditions;
  return {
    ...(allowedPaymentBrand ? { AllowedPaymentBrand: allowedPaymentBrand } : {}),
    ...(debitPreferredFlag === undefined ? {} : { DebitPreferredFlag: debitPreferredFlag }),
    ...(customerLanguage === undefined ? {} : { CustomerLanguage: customerLanguage }),
    ...(forceEntryMode ? { ForceEntryMode: forceEntryMode.map((mode) => entryModeNames[mode]) } : {}),
    ...(merchantCategoryCode === undefined ? {} : { MerchantCategoryCode: merchantCategoryCode }),
  };
}
