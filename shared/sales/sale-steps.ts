import { describeAnswer, describeRequest } from '../exchange-words.ts';
import type { JournalEntry, JournalKind } from '../journal.ts';
import { currencyExponent } from '../money.ts';
import type { RecordedSaleCall, Sale, SaleAttempt } from './sale.ts';
import { givesBack } from './sale-record.ts';

/** A step of a sale: an event between the point of sale and the gateway, or an event of a payment. */
export interface SaleStep {
  readonly at: number;
  readonly way: 'asks' | 'isAnswered' | 'broke' | 'note';
  readonly text: string;
  readonly tone: 'neutral' | 'success' | 'error' | 'warning';
  /** The number of the journal's entry with all details; undefined if that entry is gone. */
  readonly seq: number | undefined;
}

/** Returns the steps of a sale in order (B267). `journal` has the details of those steps whose entries still exist. */
export function saleStepsOf(sale: Sale, journal: readonly JournalEntry[]): readonly SaleStep[] {
  const known = entriesOf(sale, journal);
  const steps = [
    ...sale.calls.flatMap((call) => stepsOfCall(call, known)),
    ...sale.attempts.flatMap((attempt) => stepsOfAttempt(attempt, known, sale)),
  ];
  return steps.toSorted((a, b) => a.at - b.at || (a.seq ?? 0) - (b.seq ?? 0));
}

type SaleEntries = ReturnType<typeof entriesOf>;

/**
 * Returns two functions. One finds the entries about a call of the sale; the other finds the entries about an attempt.
 */
function entriesOf({ calls, attempts }: Sale, journal: readonly JournalEntry[]) {
  const requests = new Set(calls.map(({ requestId }) => requestId));
  const payments = new Set(attempts.map(({ payment }) => payment));
  const found = journal.flatMap((entry) => {
    const requestId = 'requestId' in entry.data ? entry.data.requestId : undefined;
    return requests.has(requestId ?? '') || payments.has(entry.payment ?? '') ? [{ entry, requestId }] : [];
  });
  return {
    call: <Kind extends JournalKind>({ requestId }: RecordedSaleCall, ...kinds: readonly Kind[]) =>
      found.find((each) => each.requestId === requestId && isOf(each.entry, kinds))?.entry as
        | JournalEntry<Kind>
        | undefined,
    attempt: ({ payment }: SaleAttempt, ...kinds: readonly JournalKind[]) =>
      found.findLast(({ entry }) => entry.payment === payment && isOf(entry, kinds))?.entry,
  };
}

function isOf(entry: JournalEntry, kinds: readonly JournalKind[]): boolean {
  return kinds.includes(entry.kind);
}

function stepsOfCall(call: RecordedSaleCall, known: SaleEntries): SaleStep[] {
  const received = known.call(call, 'http.received');
  const asked: SaleStep = {
    at: Date.parse(call.at),
    way: 'asks',
    text: received ? describeRequest(received.data, '…') : `${call.method} ${call.path}`,
    tone: 'neutral',
    seq: received?.seq,
  };
  return [asked, ...endSteps(call, known)];
}

const breaks = {
  hungUp: 'the POS hung up before it got an answer',
  lost: 'lost: a fault, set by a test, broke the connection',
  cutOff: 'the connection ended in the middle of the answer',
} as const;

function endSteps(call: RecordedSaleCall, known: SaleEntries): SaleStep[] {
  const { end, endedAt, status } = call;
  if (endedAt === null || end === 'open') return [];
  const at = Date.parse(endedAt);
  if (end !== 'answered') {
    const entry = known.call(call, 'fault.injected', 'http.hungUp', 'http.sent');
    return [{ at, way: 'broke', text: breaks[end], tone: 'warning', seq: entry?.seq }];
  }
  const answered = known.call(call, 'http.answered');
  const text = answered ? describeAnswer(answered.data, '…') : [status, call.error].filter(Boolean).join(' ');
  return [
    { at, way: 'isAnswered', text, tone: (status ?? 0) >= 400 ? 'error' : 'neutral', seq: answered?.seq },
  ];
}

function stepsOfAttempt(attempt: SaleAttempt, known: SaleEntries, { currency }: Sale): SaleStep[] {
  const { acceptedAt, concludedAt, outcome, reason, why, terminal } = attempt;
  const note = (
    at: string,
    text: string,
    tone: SaleStep['tone'],
    ...kinds: readonly JournalKind[]
  ): SaleStep => ({
    at: Date.parse(at),
    way: 'note',
    text,
    tone,
    seq: known.attempt(attempt, ...kinds)?.seq,
  });
  const place = terminal === null ? '' : ` on ${terminal}`;
  const verdict = outcome === 'success' ? 'approved' : `not approved: ${reason ?? 'unknown'}`;
  const name = nameOf(attempt, currency);
  const steps: SaleStep[] = [];
  if (acceptedAt !== null)
    steps.push(note(acceptedAt, `${name} begins${place}`, 'neutral', 'payment.accepted'));
  if (concludedAt !== null && outcome !== 'open') {
    const text = `${name}${place} ${verdict}${why && outcome !== 'success' ? `, ${why}` : ''}`;
    const tone = outcome === 'success' ? 'success' : 'error';
    const kinds = ['payment.concluded', 'debit.changed', 'refund.changed', 'credit.changed'] as const;
    steps.push(note(concludedAt, text, tone, ...kinds));
  }
  return steps;
}

function nameOf({ kind, amount }: SaleAttempt, currency: string | null): string {
  if (!givesBack(kind)) return 'payment';
  const name = kind === 'reversal' ? 'reversal' : 'refund';
  if (amount === null || currency === null) return name;
  return `${name} of ${currency} ${amount.toFixed(currencyExponent(currency) ?? 2)}`;
}
