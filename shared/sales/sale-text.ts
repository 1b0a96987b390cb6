import { currencyExponent } from '../money.ts';
import type { RequestKind } from './request-kind.ts';
import type { Sale, SaleAttempt, SaleKind } from './sale.ts';
import { type CallRecord, givesBack } from './sale-record.ts';

const names: Record<RequestKind, string> = {
  payment: 'POST',
  status: 'status',
  latest: 'latest',
  abort: 'abort',
  abortLatest: 'abort latest',
  charge: 'charge',
  preauthorize: 'preauthorize',
  capture: 'capture',
  refunds: 'list refunds',
  refund: 'refund',
  credit: 'link',
  reversal: 'reversal',
  cardRefund: 'refund',
  other: 'other',
};

/**
 * Writes calls in order. Equal calls that follow each other are written once, with their number:
 * `POST lost, status ×2`.
 */
export function callsText(calls: readonly CallRecord[], leftOut: number): string {
  const groups: { text: string; count: number }[] = [];
  for (const call of calls) {
    const text = callText(call);
    const last = groups.at(-1);
    if (last?.text === text) last.count++;
    else groups.push({ text, count: 1 });
  }
  const texts = groups.map(({ text, count }) => (count === 1 ? text : `${text} ×${count}`));
  return leftOut === 0 ? texts.join(', ') : `${texts.join(', ')}, and ${leftOut} more in between`;
}

/**
 * Writes only the name of a call if the call was answered with success: `POST`. Otherwise adds how the call ended:
 * `POST lost`, `status 404`.
 */
function callText({ kind, end, status, as }: CallRecord): string {
  const name = names[kind];
  if (end === 'open') return `${name} open`;
  if (end === 'hungUp') return `${name} hung up`;
  if (end === 'lost') return `${name} lost`;
  if (end === 'cutOff') return `${name} cut off`;
  return status === 200 || status === 201 || status === 204 ? name : `${name} ${as ?? status}`;
}

const words: Record<SaleKind, { success: string; failure: string }> = {
  payment: { success: 'approved', failure: 'declined' },
  charge: { success: 'paid', failure: 'failed' },
  refund: { success: 'submitted', failure: 'failed' },
  link: { success: 'completed', failure: 'failed' },
  cardRefund: { success: 'refunded', failure: 'not refunded' },
};

/**
 * Returns the outcome of a sale in a few words: `approved`, `declined: refusal`, `open`; `approved ×2` if the customer
 * paid twice (B316).
 */
export function describeSaleOutcome(
  { kind, outcome, reason }: Pick<Sale, 'kind' | 'outcome' | 'reason'>,
  attempts: readonly Pick<SaleAttempt, 'charged'>[],
): string {
  if (outcome === 'none') return 'no payment';
  const word = outcome === 'success' || outcome === 'failure' ? words[kind][outcome] : outcome;
  const times = attempts.filter(({ charged }) => (charged ?? 0) !== 0).length;
  if (outcome === 'success') return times > 1 ? `${word} ×${times}` : word;
  return reason === null ? word : `${word}: ${reason}`;
}

/**
 * Returns how much of a sale was given back, in a few words: `5.00 given back`, `all given back`, `giving back`,
 * `reversal failed`.
 */
export function givenBackText(
  attempts: readonly Pick<SaleAttempt, 'kind' | 'outcome' | 'charged'>[],
  currency: string | undefined,
): string {
  const back = attempts.filter(({ kind }) => givesBack(kind));
  if (back.length === 0 || back.length === attempts.length) return '';
  if (back.some(({ outcome }) => outcome === 'open')) return 'giving back';
  const sumOf = (some: typeof attempts) => some.reduce((sum, { charged }) => sum + (charged ?? 0), 0);
  const given = -sumOf(back);
  if (given === 0) return `${back.at(-1)?.kind === 'reversal' ? 'reversal' : 'refund'} failed`;
  const isAll = Math.abs(sumOf(attempts)) < 5e-5;
  return `${isAll ? 'all' : given.toFixed(currencyExponent(currency ?? '') ?? 2)} given back`;
}
