import type { GivesBack } from '../../shared/emulator/screen.ts';
import type { JournalEntry } from '../../shared/journal.ts';
import { currencyExponent, decimalText } from '../../shared/money.ts';
import { refusalWords } from '../../shared/refusal-words.ts';

/** A payment as the journal shows it. */
export interface TuiPayment {
  readonly id: string;
  /** The terminal's poi_id. */
  readonly terminal: string;
  /** The HTTP request that asked for it; empty where that was before the start of this process. */
  readonly requestId: string;
  readonly acceptedAt: number;
  readonly currency: string;
  /** In minor units. */
  readonly requested: number;
  /** Absent where the amount is paid. */
  readonly givesBack?: GivesBack;
  /** What was authorized, tip included. */
  readonly total?: number;
  /** The rule that decided at the host, and why. */
  readonly rule?: string;
  readonly ended?: Ending;
}

interface Ending {
  readonly seq: number;
  readonly at: number;
  readonly success: boolean;
  readonly errorCondition?: string;
  readonly why: string;
}

/** How many payments are kept. */
const capacity = 1_000;

/** The payments with what happened since, in the order they were accepted. */
export function withEntries(
  payments: readonly TuiPayment[],
  entries: readonly JournalEntry[],
): readonly TuiPayment[] {
  const known = new Map(payments.map((payment) => [payment.id, payment]));
  let changed = false;
  for (const entry of entries) {
    const id = entry.payment;
    if (id === undefined) continue;
    const after = afterEntry(known.get(id), id, entry);
    if (!after) continue;
    known.set(id, after);
    changed = true;
  }
  return changed ? [...known.values()].slice(-capacity) : payments;
}

/** Undefined where the entry changes nothing, or is of a payment whose beginning the journal has forgotten. */
function afterEntry(before: TuiPayment | undefined, id: string, entry: JournalEntry): TuiPayment | undefined {
  if (entry.kind === 'payment.accepted') {
    const { amount, currency, requestId, paymentKind: givesBack } = entry.data;
    const { at, terminal = '' } = entry;
    return { id, terminal, requestId, acceptedAt: at, currency, requested: amount, givesBack };
  }
  if (!before) return undefined;
  switch (entry.kind) {
    case 'ledger.authorized':
    case 'ledger.refunded':
      return { ...before, total: entry.data.amount, rule: entry.data.rule };
    case 'ledger.declined':
      return { ...before, total: undefined, rule: entry.data.rule };
    case 'payment.concluded': {
      const { result, errorCondition, why } = entry.data;
      const ended = { seq: entry.seq, at: entry.at, success: result === 'success', errorCondition, why };
      return { ...before, ended };
    }
    default:
      return undefined;
  }
}

/** The payment of a terminal that ended last, whichever program requested it. */
function lastEnded(payments: readonly TuiPayment[], poiId: string): TuiPayment | undefined {
  let last: TuiPayment | undefined;
  for (const payment of payments)
    if (payment.terminal === poiId && (payment.ended?.seq ?? 0) > (last?.ended?.seq ?? 0)) last = payment;
  return last;
}

/** The payment that is under way on a terminal, else the one that ended there last. */
export function latestOn(payments: readonly TuiPayment[], poiId: string): TuiPayment | undefined {
  const underWay = payments.find(({ terminal, ended }) => terminal === poiId && !ended);
  return underWay ?? lastEnded(payments, poiId);
}

/** What was paid or was to be paid, or given back, e.g. "EUR 51.09, with a tip of 7.79", "refund of EUR 5.00". */
export function amountOf(payment: TuiPayment): string {
  return payment.givesBack ? `${payment.givesBack} of ${moneyOf(payment)}` : moneyOf(payment);
}

/** The same where a name beside it says what it is. */
export function moneyOf({ currency, requested, total = requested, ended }: TuiPayment): string {
  const paid = ended?.success === false ? requested : total;
  const text = `${currency} ${decimals(paid, currency)}`;
  return paid > requested ? `${text}, with a tip of ${decimals(paid - requested, currency)}` : text;
}

function decimals(minor: number, currency: string): string {
  return currencyExponent(currency) === undefined ? String(minor) : decimalText(minor, currency);
}

/** Why a payment failed, e.g. "refusal: Not enough balance (210)". */
export function failureReasonOf({ ended }: TuiPayment): string {
  if (!ended || ended.success) return '';
  const { errorCondition = 'unknown', why } = ended;
  const more = why.replace(/^the terminal answers \w+(: )?/, '');
  return more ? `${errorCondition}: ${refusalWords(more)}` : errorCondition;
}

/** The payment that an entry is about; a request is about the one that it asked for. */
export function paymentIdOf(payments: readonly TuiPayment[], entry: JournalEntry): string | undefined {
  if (entry.payment !== undefined || !entry.kind.startsWith('http.')) return entry.payment;
  const { data } = entry;
  return payments.find(({ requestId }) => 'requestId' in data && data.requestId === requestId)?.id;
}
