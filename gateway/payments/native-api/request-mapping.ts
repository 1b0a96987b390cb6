import { largestAmountMinor } from '../../../shared/money.ts';
import type { Account } from '../../accounts/schemas.ts';
import { checkAmountSize, convertToMinorAmount, makeInvalidAmountError } from '../../http/amounts.ts';
import type { PaymentOrder } from '../core/order.ts';
import { findTipIndexAboveMaximum } from '../core/tip-limit.ts';
import { type Gratuity, isNumericalOption, makeTipPrompt } from './gratuity.ts';
import { entryModeNames, type PaymentRequestBody } from './schemas.ts';

const requestedAmountPath = 'paymentTransaction.amountsReq.requestedAmount';
const optionPath = (index: number) => `gratuity.options.${index}.value`;

/**
 * Gives the path of the nth option that has a value. If the request has no options, the default options apply, and the
 * path is `gratuity`.
 */
function numericalOptionPath(options: Gratuity['options'], nth: number): string {
  if (!options) return 'gratuity';
  return optionPath(
    options.findIndex((_, at) => options.slice(0, at + 1).filter(isNumericalOption).length > nth),
  );
}

/**
 * Checks the amounts of a request. These checks need no settings of the account.
 *
 * @throws ApiError invalidAmount (B12)
 */
export function checkAmounts({ paymentTransaction, gratuity }: PaymentRequestBody): void {
  checkAmountSize(paymentTransaction.amountsReq.requestedAmount, requestedAmountPath);
  if (!gratuity?.enabled) return;
  for (const [index, { type, value = 0 }] of (gratuity.options ?? []).entries())
    if (type === 'fixed') checkAmountSize(value, optionPath(index));
}

/**
 * Reads the order from a request. The request's amounts are in the account's currency.
 *
 * @throws ApiError invalidAmount (B12, B13)
 */
export function paymentOrderOf(body: PaymentRequestBody, account: Account): PaymentOrder {
  const { currency, transactionLimit } = account;
  const { requestedAmount } = body.paymentTransaction.amountsReq;
  const amount = convertToMinorAmount(requestedAmount, currency, requestedAmountPath);
  const largest = largestAmountMinor(currency);
  const tips = makeTipPrompt(body.gratuity, currency, Math.min(transactionLimit, largest));
  if (tips && 'fault' in tips) throw makeInvalidAmountError(optionPath(tips.index), tips.fault, currency);
  const tooMuch = findTipIndexAboveMaximum(largest, amount, tips);
  if (tooMuch !== undefined)
    throw makeInvalidAmountError(
      numericalOptionPath(body.gratuity?.options, tooMuch),
      'totalTooLarge',
      currency,
    );
  return {
    amount,
    currency,
    tips,
    conditions: body.transactionConditions && conditionsOf(body.transactionConditions),
    saleReference: body.saleData?.saleReferenceId,
  };
}

function conditionsOf(
  conditions: NonNullable<PaymentRequestBody['transactionConditions']>,
): NonNullable<PaymentOrder['conditions']> {
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
