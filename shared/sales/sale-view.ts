import { isoTime, isoTimeOrNull } from '../clock.ts';
import { formatIdempotencyKey } from '../dialect-meaning.ts';
import { currencyExponent, toMajor } from '../money.ts';
import { findWrongBelief } from './beliefs.ts';
import { beginsAtTerminal } from './request-kind.ts';
import type { OutcomeToldState, RecordedSaleCall, Sale, SaleAttempt, SaleKind, SaleOutcome } from './sale.ts';
import type { AttemptRecord, CallRecord, SaleRecord } from './sale-record.ts';
import { callsText, describeSaleOutcome, givenBackText } from './sale-text.ts';

const shownOrNull = (key: string | undefined) => (key === undefined ? null : formatIdempotencyKey(key));

/** Converts the terminal identifier in a request to the POI id of the account's terminal. */
export type PoiIdFinder = (accountId: string, identifier: string) => string | undefined;

/** Turns the internal form of a sale into the form that is shown. */
export function makeSaleView(record: SaleRecord, terminalOf: PoiIdFinder = () => undefined): Sale {
  const attempts = record.attempts.map((attempt) => attemptView(record, attempt));
  const latest = attempts.at(-1);
  const paying = new Set(record.paying.map(({ payment }) => payment));
  const payments = attempts.filter(({ payment }) => paying.has(payment));
  const amount = latest ? (payments.at(-1)?.amount ?? null) : (record.asked ?? null);
  const tipped = record.attempts.findLast((attempt) => tipOf(record, attempt) > 0);
  const currency = record.attempts.findLast((attempt) => attempt.currency !== undefined)?.currency;
  const inMajor = (minor: number) => majorOf(minor, currency);
  const ended = record.isOpen ? undefined : endOf(record);
  const kind: SaleKind = record.isCardRefund ? 'cardRefund' : record.kind;
  const decided = { kind, ...outcomeOf(record, payments) };
  const sale = {
    saleId: record.saleId ?? '',
    accountId: record.accountId ?? null,
    terminal: latest?.terminal ?? askedAt(record, terminalOf) ?? null,
    saleReferenceId: record.reference ?? null,
    idempotencyKey:
      shownOrNull(record.calls.findLast(({ kind, key }) => kind !== 'reversal' && key !== undefined)?.key) ??
      payments.at(-1)?.idempotencyKey ??
      null,
    own: record.own ?? null,
    amount,
    tip: tipped ? inMajor(tipOf(record, tipped)) : null,
    total: tipped ? inMajor((tipped.amount ?? 0) + tipOf(record, tipped)) : amount,
    currency: currency ?? null,
    attempts,
    calls: record.calls.map(callView),
    callsLeftOut: record.callsLeftOut,
    callsKnown: record.callsKnown,
    callsText: textOfCalls(record),
    ...decided,
    outcomeText: [describeSaleOutcome(decided, payments), givenBackText(attempts, currency)]
      .filter((part) => part !== '')
      .join(', '),
    charged: movesMoney(record) ? (inMajor(chargedIn(record)) ?? 0) : null,
    told: toldOf(attempts),
    startedAt: isoTime(record.startedAt),
    endedAt: isoTimeOrNull(ended),
    tookMs: ended === undefined ? null : Math.max(0, ended - record.startedAt),
    refundOf: record.refundOf?.saleId ?? record.debit ?? null,
    beliefs: [...record.beliefs],
  };
  const { refunded, refundedSince } = refundedIn(record);
  const wrong = findWrongBelief(sale, {
    begunBefore: record.givenBackThen,
    refunded: inMajor(refunded) ?? 0,
    refundedSince: inMajor(refundedSince) ?? 0,
  });
  const findings = [record.crowded, wrong, ...record.foundByOthers].filter((found) => found !== undefined);
  return { ...sale, findings };
}

/** If a sale's payment was never accepted, finds the sale's terminal in the sale's request (B402). */
function askedAt({ attempts, calls }: SaleRecord, terminalOf: PoiIdFinder): string | undefined {
  if (attempts.length > 0) return undefined;
  const asked = calls.findLast(({ kind }) => beginsAtTerminal(kind));
  return asked && terminalOf(asked.accountId, asked.terminal ?? '');
}

function textOfCalls(record: SaleRecord): string {
  const text = callsText(record.calls, record.callsLeftOut);
  if (record.callsKnown) return text;
  return text === '' ? 'calls unknown' : `earlier calls unknown, ${text}`;
}

function attemptView(record: SaleRecord, attempt: AttemptRecord): SaleAttempt {
  const inMajor = (minor: number) => majorOf(minor, attempt.currency);
  const tip = tipOf(record, attempt);
  return {
    kind: attempt.kind,
    original: attempt.original ?? null,
    payment: attempt.payment,
    idempotencyKey: shownOrNull(attempt.key),
    terminal: attempt.terminal ?? null,
    amount: attempt.amount === undefined ? null : inMajor(attempt.amount),
    tip: tip > 0 ? inMajor(tip) : null,
    acceptedAt: isoTimeOrNull(attempt.acceptedAt),
    concludedAt: isoTimeOrNull(attempt.concludedAt),
    outcome: attempt.outcome,
    reason: attempt.reason ?? null,
    why: attempt.why ?? null,
    charged: movesMoney(record) ? inMajor(attempt.moved - attempt.refunded) : null,
    told: attemptTold(attempt),
  };
}

function movesMoney({ kind }: SaleRecord): boolean {
  return kind === 'payment' || kind === 'charge';
}

function attemptTold({ told, known, outcome, ofOperator }: AttemptRecord): OutcomeToldState {
  if (outcome === 'open') return 'nothing';
  if (told || ofOperator) return 'told';
  return known ? 'untold' : 'unknown';
}

/**
 * Whether the point of sale received the outcomes: the worst state among the attempts. The states from the worst to the
 * best are `untold`, `unknown`, `told`, `nothing`.
 */
function toldOf(attempts: readonly SaleAttempt[]): OutcomeToldState {
  const of = (state: OutcomeToldState) => attempts.some(({ told }) => told === state);
  return of('untold') ? 'untold' : of('unknown') ? 'unknown' : of('told') ? 'told' : 'nothing';
}

function outcomeOf(
  record: SaleRecord,
  attempts: readonly SaleAttempt[],
): { outcome: SaleOutcome; reason: string | null; why: string | null } {
  const open = attempts.find(({ outcome }) => outcome === 'open');
  const decisive = open ?? attempts.findLast(({ outcome }) => outcome === 'success') ?? attempts.at(-1);
  if (decisive) return { outcome: decisive.outcome, reason: decisive.reason, why: decisive.why };
  if (record.isOpen) return { outcome: 'open', reason: null, why: null };
  const refusal = record.calls.findLast(({ status }) => status !== undefined && status >= 400);
  if (!refusal) return { outcome: 'none', reason: null, why: null };
  const reason = [refusal.status, refusal.error].filter((part) => part !== undefined).join(' ');
  return { outcome: 'refused', reason, why: null };
}

function chargedIn({ attempts }: SaleRecord): number {
  return attempts.reduce((sum, { moved, refunded }) => sum + moved - refunded, 0);
}

/**
 * Returns two sums in minor units: the sum of a debit's refunds, and the sum of its refunds that began after the latest
 * belief was stated. Both are 0 for a payment at a terminal, because its reversals and card refunds are attempts.
 */
function refundedIn({ kind, attempts, refunds, givenBackThen }: SaleRecord) {
  if (kind !== 'charge') return { refunded: 0, refundedSince: 0 };
  const since = [...refunds].filter(([refund]) => !givenBackThen.has(refund));
  return {
    refunded: attempts.reduce((sum, each) => sum + each.refunded, 0),
    refundedSince: since.reduce((sum, [, amount]) => sum + amount, 0),
  };
}

/**
 * Returns an amount in major units, or null if the currency is not known. The currency is not known if the journal
 * begins after the acceptance of the payment.
 */
function majorOf(minor: number, currency: string | undefined): number | null {
  return currency === undefined || currencyExponent(currency) === undefined ? null : toMajor(minor, currency);
}

/** Returns the tip: the charged amount minus the requested amount. */
function tipOf({ kind }: SaleRecord, { amount, moved }: AttemptRecord): number {
  return kind === 'payment' && amount !== undefined ? Math.max(0, moved - amount) : 0;
}

function endOf({ attempts, calls, startedAt }: SaleRecord): number {
  const ends = [
    ...attempts.map(({ concludedAt }) => concludedAt),
    ...(attempts.length > 0 ? [] : calls.map(({ endedAt }) => endedAt)),
  ];
  return ends.reduce<number>((latest, at) => Math.max(latest, at ?? 0), startedAt);
}

function callView(call: CallRecord): RecordedSaleCall {
  return {
    requestId: call.requestId,
    kind: call.kind,
    method: call.method,
    path: call.path,
    at: isoTime(call.at),
    endedAt: isoTimeOrNull(call.endedAt),
    end: call.end,
    status: call.status ?? null,
    error: call.error ?? null,
    idempotencyKey: shownOrNull(call.key),
    payment: call.payment ?? null,
    told: call.told,
    gateway: call.gateway ?? null,
  };
}
