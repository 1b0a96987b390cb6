import { asRecord } from '../journal-fields.ts';
import type { PosRequest } from '../requests/pos-request.ts';
import { findBlindGiveBackOccurrences } from './blind-give-backs.ts';
import { makeRetryOccurrence } from './retries.ts';
import { endEntryOf, isOutcomeUnknown, type LintInput, type LintRule, type Occurrence } from './rule.ts';

/**
 * Finds refunds that the point of sale requested again without knowing the outcome. After a 5xx or a timeout, the point
 * of sale has to list the refunds before a retry, because a repeated request creates a second refund (B84). At a
 * terminal, messages with the same ServiceID are one reversal or refund (B514).
 */
export const blindRefundRetryRule: LintRule = {
  id: 'blind-refund-retry',
  severity: 'error',
  why: 'the second request is another refund: if the first refund succeeds, the customer gets the money back twice',
  fixInNexo:
    'before you give money back again, send the same message again with the same ServiceID, or ask for the TransactionStatus of this ServiceID until the answer is no longer InProgress',
  fix: 'after a 5xx or a timeout, call GET /debit/{debit_id}/refunds, and create the refund again only if it is not in the list',
  check: (watched) => [...repeatedOfDebits(watched), ...findBlindGiveBackOccurrences(watched)],
};

function repeatedOfDebits({ requests }: LintInput): Occurrence[] {
  return requests.flatMap((request) => {
    if (request.kind !== 'refund' || !isOutcomeUnknown(request)) return [];
    const retry = requests.find((later) => isRetry(later, request));
    if (!retry || requests.some((between) => looked(between, request, retry))) return [];
    const what = `a refund of ${amountOf(request)} was sent again after ${howItEnded(request)}, without looking at the list of refunds first`;
    return [{ ...makeRetryOccurrence({ first: request, retry }, what), payment: request.payment }];
  });
}

function isRetry(later: PosRequest, first: PosRequest): boolean {
  return (
    later.kind === 'refund' &&
    later.path === first.path &&
    later.received.seq > (endEntryOf(first)?.seq ?? 0) &&
    amountOf(later) === amountOf(first)
  );
}

function looked(request: PosRequest, first: PosRequest, retry: PosRequest): boolean {
  return (
    request.kind === 'refunds' &&
    request.path === first.path &&
    request.received.seq > (endEntryOf(first)?.seq ?? 0) &&
    request.answered?.data.status === 200 &&
    request.answered.seq < retry.received.seq
  );
}

function amountOf({ body }: PosRequest): unknown {
  return asRecord(body).amount;
}

function howItEnded({ answered }: PosRequest): string {
  return answered ? `a ${answered.data.status}` : 'a hang-up';
}
