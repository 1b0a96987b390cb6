import { paymentAmountText } from './payment-text.ts';
import { latestPaymentOn, type TuiPayment } from './payments.ts';
import { findShownReceipt, type TuiState } from './state.ts';
import { wrap } from './text-width.ts';

/** The number of columns in the narrowest panel that shows a receipt. */
const columns = 32;

/**
 * Returns the remark above a receipt that does not belong to the last payment. The remark says why the last payment
 * has no receipt, or that its receipt is not printed yet.
 */
export function receiptRemarkLines(state: TuiState): string[] {
  const last = latestPaymentOn(state.payments, state.terminals[state.terminal]?.poiId ?? '');
  const shown = findShownReceipt(state);
  if (!last || !shown || shown.transactionId === last.id) return [];
  return wrap(`Older receipt. The last payment, ${paymentAmountText(last)}, ${whyNot(last)}.`, columns);
}

function whyNot({ ended }: TuiPayment): string {
  if (!ended) return 'is not over';
  return ended.success ? 'prints when the card is out' : 'was not approved';
}
