import type { JournalEntry } from '../../../shared/journal.ts';
import { formatDecimalAmount } from '../../../shared/money.ts';

/** The outcome of a payment or debit, and the reasons for the outcome. */
interface Outcome {
  readonly id: string;
  readonly seq: number;
  readonly terminal: string | undefined;
  readonly amount: string;
  readonly outcome: string;
  /** The reasons for the outcome. If the host decided, the host's rule comes first. */
  readonly why: readonly string[];
}

/** Returns every payment and debit of a journal with its outcome and the reasons. */
export function readPaymentOutcomes(entries: readonly JournalEntry[]): Outcome[] {
  const outcomes = new Map<string, Outcome>();
  for (const entry of entries) {
    const { payment } = entry;
    if (payment === undefined) continue;
    if ((entry.kind === 'payment.accepted' || entry.kind === 'debit.changed') && !outcomes.has(payment))
      outcomes.set(payment, begun(entry, payment));
    const before = outcomes.get(payment);
    if (before) outcomes.set(payment, noted(before, entry));
  }
  return [...outcomes.values()];
}

function begun(entry: JournalEntry<'payment.accepted' | 'debit.changed'>, id: string): Outcome {
  const { amount, currency } = entry.data;
  const kind = entry.kind === 'payment.accepted' && entry.data.paymentKind;
  const text = `${kind ? `${kind} of ` : ''}${currency} ${formatDecimalAmount(amount, currency)}`;
  return { id, seq: entry.seq, terminal: entry.terminal, amount: text, outcome: 'open', why: [] };
}

/**
 * Adds the reason in an entry to an outcome. Keeps both the rule of the host and the reason of the terminal, because
 * the terminal may say only "approved", while the rule says why.
 */
function noted(outcome: Outcome, entry: JournalEntry): Outcome {
  const because = (why: string) => ({ ...outcome, why: [...outcome.why, why] });
  switch (entry.kind) {
    case 'payment.concluded':
      return { ...because(entry.data.why), outcome: entry.data.errorCondition ?? entry.data.result };
    case 'debit.changed':
      return { ...because(entry.data.why), outcome: entry.data.state };
    case 'ledger.authorized':
    case 'ledger.declined':
      return because(`host: ${entry.data.rule}`);
    case 'ledger.refunded':
      return entry.data.rule === undefined ? outcome : because(`host: ${entry.data.rule}`);
    case 'ledger.returned':
      return because(`taken back: ${entry.data.reason}`);
    case 'ledger.reversed':
      return because(`reversed: ${entry.data.reason}`);
    case 'outcome.set':
      return because(`set for ${entry.data.scope}`);
    default:
      return outcome;
  }
}

/** Returns the tone in which a payment's result or a debit's state is shown. */
export function toneOfOutcome(outcome: string): 'success' | 'error' | '' {
  if (['success', 'paid', 'preauthorized'].includes(outcome)) return 'success';
  return ['open', 'voided'].includes(outcome) ? '' : 'error';
}
