import { amountOf, lastEnded } from './payments.ts';
import { shownReceipt, type TuiState } from './state.ts';
import { wrap } from './text-width.ts';

/** Inside the narrowest panel that a receipt is shown in. */
const columns = 32;

/** What has to be said above a receipt: that the last payment printed none, so that this is an older one. */
export function receiptRemark(state: TuiState): string[] {
  const last = lastEnded(state.payments, state.terminals[state.terminal]?.poiId ?? '');
  if (!last?.ended || last.ended.success || !shownReceipt(state)) return [];
  return wrap(`Of an older payment: the last, ${amountOf(last)}, was not approved.`, columns);
}
