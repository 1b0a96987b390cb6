import type { PosRequest } from '../requests/pos-request.ts';
import { sameSaleMs } from '../sales/same-sale.ts';
import {
  bothSucceeded,
  computePauseBeforeRetryMs,
  describeOutcomeKnowledge,
  describeRetryKey,
  findRetries,
  makeRetryOccurrence,
  type RetryPair,
} from './retries.ts';
import type { LintInput, LintRule } from './rule.ts';

/**
 * Finds payments that the point of sale requested again without knowing the outcome. A payment request can be repeated
 * safely only with the same key (B55, B251).
 */
export const blindPaymentRetryRule: LintRule = {
  id: 'blind-payment-retry',
  severity: 'error',
  why: 'a request with another key, or without one, is another payment: if the first payment succeeds, the customer pays twice',
  fixInNexo:
    'before you begin another payment for the sale, send the same message again with the same ServiceID, or ask for the TransactionStatus of this ServiceID until the answer is no longer InProgress',
  fix: 'before you begin another payment for the sale, send the request again with the same Idempotency-Key, or ask for the status by that key until the answer is 200',
  check: (watched) =>
    findBlindPaymentRetries(watched).map((retried) => {
      const { first, retry } = retried;
      const again = `${saleName(first)} was requested again with ${describeRetryKey(retry)} ${describeOutcomeKnowledge(watched, retried)}`;
      const what = bothSucceeded(watched, retried) ? `the customer paid twice: ${again}` : again;
      return makeRetryOccurrence(retried, what, saleOf(retry));
    }),
};

/**
 * If requests have no reference, identical requests within this time belong to the same sale. An identical request
 * after this time belongs to another customer.
 */
const soonMs = 10 * 60_000;

/**
 * Finds payment requests that began another payment of a sale although the point of sale had not learnt the outcome of
 * the sale's earlier payment.
 */
export function findBlindPaymentRetries({
  requests,
  isCrowded,
}: Pick<LintInput, 'requests' | 'isCrowded'>): RetryPair[] {
  const payments = requests.filter(({ kind }) => kind === 'payment');
  return findRetries(payments, requests, (first, retry) => isSameSale(first, retry, isCrowded(retry)));
}

/**
 * Returns a name for the sale of a request. All blind repetitions of one sale get the same name, so that the finding
 * counts them as one mistake.
 */
function saleOf({ accountId, reference, path, body }: PosRequest): string {
  return `${accountId} ${reference ?? `${path} ${JSON.stringify(body)}`}`;
}

/**
 * Whether both requests belong to one sale, because they have the same reference. Without a reference, identical
 * requests belong to one sale.
 */
function isSameSale(first: PosRequest, retry: PosRequest, isCrowded: boolean): boolean {
  if (first.accountId !== retry.accountId || first.reference !== retry.reference) return false;
  const isNamed = first.reference !== undefined && !isCrowded;
  if (computePauseBeforeRetryMs(first, retry) > (isNamed ? sameSaleMs : soonMs)) return false;
  return isNamed || isSameRequest(first, retry);
}

function isSameRequest(first: PosRequest, retry: PosRequest): boolean {
  return first.path === retry.path && JSON.stringify(first.body) === JSON.stringify(retry.body);
}

function saleName({ reference, terminal }: PosRequest): string {
  return reference === undefined ? `the same payment at terminal ${terminal}` : `sale ${reference}`;
}
