import { currencyExponent, formatDecimalAmount } from '../../shared/money.ts';
import { describeRefusalReason } from '../../shared/refusal-words.ts';
import type { TuiPayment } from './payments.ts';

/**
 * Returns the amount of a payment or of money given back, such as "EUR 51.09, with a tip of 7.79" or "refund of EUR
 * 5.00".
 */
export function paymentAmountText(payment: TuiPayment): string {
  return payment.givesBack
    ? `${payment.givesBack} of ${paymentMoneyText(payment)}`
    : paymentMoneyText(payment);
}

/** Returns the amount without the kind of payment, for a place that already shows the kind. */
export function paymentMoneyText({ currency, requested, total = requested, ended }: TuiPayment): string {
  const paid = ended?.success === false ? requested : total;
  const text = `${currency} ${decimals(paid, currency)}`;
  return paid > requested ? `${text}, with a tip of ${decimals(paid - requested, currency)}` : text;
}

function decimals(minor: number, currency: string): string {
  return currencyExponent(currency) === undefined ? String(minor) : formatDecimalAmount(minor, currency);
}

/** Returns why a payment failed, e.g. "refusal: Not enough balance (210)". */
export function failureReasonOf({ ended }: TuiPayment): string {
  if (!ended || ended.success) return '';
  const { errorCondition = 'unknown', why } = ended;
  const more = why.replace(/^the terminal answers \w+(: )?/, '');
  return more ? `${errorCondition}: ${describeRefusalReason(more)}` : errorCondition;
}
