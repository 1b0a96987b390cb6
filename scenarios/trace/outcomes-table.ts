import type { JournalEntry, JournalKinds } from '../../shared/journal.ts';
import { decimalText } from '../../shared/money.ts';
import { type Html, html } from './html.ts';

interface Paid {
  readonly id: string;
  readonly seq: number;
  readonly terminal: string | undefined;
  readonly amount: string;
  outcome: string;
  /** Why, the host's rule first, where the host decided. */
  why: string[];
}

/** Every payment of a journal with its outcome and why it came out so. */
export function outcomesTable(entries: readonly JournalEntry[]): Html {
  const payments = paidIn(entries);
  if (payments.length === 0) return html`<p class="none">No payment yet.</p>`;
  return html`<table><thead><tr><th scope="col">Payment</th><th scope="col">Amount</th><th scope="col">Outcome</th><th scope="col">Why</th></tr></thead><tbody>
${payments.map(
  ({
    id,
    seq,
    terminal,
    amount,
    outcome,
    why,
  }) => html`<tr><td><a href="#e${seq}" data-of="${id}">${id}</a> ${terminal}</td><td>${amount}</td><td class="${toneOf(outcome)}">${outcome}</td><td>${why.map((reason) => html`<p>${reason}</p>`)}</td></tr>
`,
)}</tbody></table>`;
}

/** Results of payments, and states of debits. */
function toneOf(outcome: string): string {
  if (['success', 'paid', 'preauthorized'].includes(outcome)) return 'success';
  return ['open', 'voided'].includes(outcome) ? '' : 'error';
}

function paidIn(entries: readonly JournalEntry[]): Paid[] {
  const payments = new Map<string, Paid>();
  for (const entry of entries) {
    if (entry.payment === undefined) continue;
    if (entry.kind === 'payment.accepted' || entry.kind === 'debit.changed') {
      if (!payments.has(entry.payment)) payments.set(entry.payment, begun(entry, entry.payment));
    }
    const paid = payments.get(entry.payment);
    if (paid) note(paid, entry);
  }
  return [...payments.values()];
}

function begun(entry: JournalEntry<'payment.accepted' | 'debit.changed'>, id: string): Paid {
  const { amount, currency } = entry.data;
  const text = `${currency} ${decimalText(amount, currency)}`;
  return { id, seq: entry.seq, terminal: entry.terminal, amount: text, outcome: 'open', why: [] };
}

/** The host's rule says more than the terminal's "approved", so both are kept. */
function note(paid: Paid, entry: JournalEntry): void {
  if (entry.kind === 'payment.concluded') {
    const { result, errorCondition, why }: JournalKinds['payment.concluded'] = entry.data;
    paid.outcome = errorCondition ?? result;
    paid.why.push(why);
  } else if (entry.kind === 'debit.changed') {
    paid.outcome = entry.data.state;
    paid.why.push(entry.data.why);
  } else if (entry.kind === 'ledger.authorized' || entry.kind === 'ledger.declined')
    paid.why.push(`host: ${entry.data.rule}`);
  else if (entry.kind === 'ledger.reversed') paid.why.push(`reversed: ${entry.data.reason}`);
  else if (entry.kind === 'outcome.set') paid.why.push(`set for ${entry.data.scope}`);
}
