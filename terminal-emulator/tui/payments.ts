import type { GiveBackKind } from '../../shared/emulator/screen.ts';
import type { JournalEntry } from '../../shared/journal.ts';

/** A payment, with the facts that the journal has about it. */
export interface TuiPayment {
  readonly id: string;
  /** The poi_id of the terminal. */
  readonly terminal: string;
  /** The id of the HTTP request that began the payment. Empty if the request was sent before this process started. */
  readonly requestId: string;
  readonly acceptedAt: number;
  readonly currency: string;
  /** The requested amount in minor units. */
  readonly requested: number;
  /** The way in which money is given back. Absent for a payment. */
  readonly givesBack?: GiveBackKind;
  /** The authorized amount, tip included. */
  readonly total?: number;
  /** The rule by which the host decided, and the reason. */
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

/** The maximum number of payments that are kept. */
const capacity = 1_000;

/** Updates the payments from new entries of the journal. The payments stay in the order in which they were accepted. */
export function updatePaymentsFromJournal(
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

/**
 * Returns the state of a payment after an entry of the journal. The result is undefined if the entry changes nothing,
 * or if the first entry of the payment is not in the journal any more.
 */
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

/** Returns the payment that ended last on a terminal. It does not matter which program requested the payment. */
function lastEnded(payments: readonly TuiPayment[], poiId: string): TuiPayment | undefined {
  let last: TuiPayment | undefined;
  for (const payment of payments)
    if (payment.terminal === poiId && (payment.ended?.seq ?? 0) > (last?.ended?.seq ?? 0)) last = payment;
  return last;
}

/**
 * Returns the payment that is under way on a terminal. If no payment is under way, returns the payment that ended
 * last on this terminal.
 */
export function latestPaymentOn(payments: readonly TuiPayment[], poiId: string): TuiPayment | undefined {
  const underWay = payments.find(({ terminal, ended }) => terminal === poiId && !ended);
  return underWay ?? lastEnded(payments, poiId);
}

/**
 * Returns the payment to which an entry belongs. If the entry is an HTTP request, this is the payment that the
 * request began.
 */
export function paymentIdOfEntry(payments: readonly TuiPayment[], entry: JournalEntry): string | undefined {
  if (entry.payment !== undefined || !entry.kind.startsWith('http.')) return entry.payment;
  const { data } = entry;
  return payments.find(({ requestId }) => 'requestId' in data && data.requestId === requestId)?.id;
}
