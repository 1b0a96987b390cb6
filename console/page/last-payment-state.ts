import type { JournalEntry } from '../../shared/journal.ts';
import { formatDecimalAmount } from '../../shared/money.ts';
import { withShortIds } from './traffic/entry-view.ts';

/**
 * The state or the outcome of the last payment at a terminal. It does not matter which point of sale sent the
 * payment.
 */
export interface LastPaymentState {
  readonly payment: string;
  readonly tone: '' | 'success' | 'error';
  /** The amount, including the tip as soon as it is known. */
  readonly amount: string;
  readonly text: string;
}

/** Returns a terminal's last outcome after a journal entry. `before` is the last outcome before this entry. */
export function nextLastPaymentState(
  entry: JournalEntry,
  before: LastPaymentState | undefined,
): LastPaymentState | undefined {
  const { payment = '' } = entry;
  if (entry.kind === 'payment.accepted' || entry.kind === 'ledger.authorized') {
    const { amount, currency } = entry.data;
    const givesBack = entry.kind === 'payment.accepted' && entry.data.paymentKind;
    const text = `${givesBack ? `${givesBack} of ` : ''}${currency} ${formatDecimalAmount(amount, currency)}`;
    if (entry.kind === 'payment.accepted')
      return { payment, tone: '', amount: text, text: `${text} under way` };
    return before?.payment === payment ? { ...before, amount: text } : before;
  }
  if (entry.kind !== 'payment.concluded') return before;
  const amount = before?.payment === payment ? before.amount : '';
  const { result, errorCondition, why } = entry.data;
  if (result === 'success') return { payment, tone: 'success', amount, text: `Approved ${amount}`.trimEnd() };
  const reason = withShortIds(why).replace(/^the terminal answers /, '');
  const named = errorCondition === undefined || reason.includes(errorCondition);
  const text = [amount, named ? reason : `${errorCondition}: ${reason}`].filter(Boolean).join(': ');
  return { payment, tone: 'error', amount, text };
}
