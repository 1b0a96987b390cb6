import { amountOf, latestOn, type TuiPayment } from './payments.ts';
import { shownReceipt, type TuiState } from './state.ts';
import { wrap } from './text-width.ts';

/** The width of the narrowest panel that shows a receipt. */
const columns = 32;

/**
 * Returns a remark above a receipt that is older than the last payment. It says why the last payment has no receipt, or
 * none yet.
 */
export function receiptRemark(state: TuiState): string[] {
  const last = latestOn(state.payments, state.terminals[state.terminal]?.poiId ?? '');
  const shown = shownReceipt(state);
  if (!last || !shown || shown.transactionId === last.id) return [];
  return wrap(`Of an older payment: the last, ${amountOf(last)}, ${whyNot(last)}.`, columns);
}

function whyNot({ ended }: TuiPayment): string {
  if (!ended) return 'is not over';
  return ended.success ? 'prints when its card is out' : 'was not approved';
}
