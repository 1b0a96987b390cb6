import type { PosRequest } from '../requests/pos-request.ts';
import type { RequestKind } from '../sales/request-kind.ts';
import {
  elapsedMsBetween,
  endEntryOf,
  formatMethodAndPath,
  type LintRule,
  makeRequestOccurrence,
  type Occurrence,
} from './rule.ts';

/** The shortest client timeouts that are safe, in milliseconds (B44). */
const leastTimeoutMs: Partial<Record<RequestKind, number>> = {
  payment: 190_000,
  status: 40_000,
  latest: 40_000,
  abort: 40_000,
  abortLatest: 40_000,
};

/**
 * Finds clients that hang up too early. A client timeout has to be above 190 seconds for payments, and at least 40
 * seconds for status and abort requests (B44).
 */
export const shortTimeoutRule: LintRule = {
  id: 'short-timeout',
  severity: 'warning',
  why: 'the customer may still be paying when the POS stops waiting',
  fix: 'set client timeouts above 190 s for payment requests, and to at least 40 s for status and abort calls',
  check: ({ requests }) =>
    requests.flatMap((request): Occurrence[] => {
      const least = leastTimeoutMs[request.kind];
      // Only an entry of the kind `http.hungUp` says that the client ended the connection.
      if (request.hungUp?.kind !== 'http.hungUp' || least === undefined) return [];
      const waitedMs = elapsedMsBetween(request.received, request.hungUp);
      if (waitedMs >= least) return [];
      const what = `the client hung up on ${formatMethodAndPath(request)} after ${waitedMs / 1000} s; it must wait at least ${least / 1000} s`;
      return [makeRequestOccurrence(request, what, { cause: request.kind })];
    }),
};

/**
 * The share of the time in Retry-After that a client has to wait. It is less than 1, because clocks and networks are
 * not exact.
 */
const tolerance = 0.9;

/**
 * Finds clients that ask again too early. The answers 202 and 429 say in Retry-After how long a client has to wait
 * (B49, B121).
 */
export const fastPollingRule: LintRule = {
  id: 'fast-polling',
  severity: 'warning',
  why: 'if every POS sends requests this fast, an outage of the service lasts longer',
  fix: 'wait for the time in Retry-After before you ask again, and send one request at a time',
  check: ({ requests }) => {
    const asked = Map.groupBy(
      requests.filter(({ kind }) => kind === 'status' || kind === 'latest'),
      ({ accountId, path, query, isOfDialect, keyText }) =>
        `${accountId} ${path}?${query} ${isOfDialect ? keyText : ''}`,
    );
    return [...asked.values()].flatMap((polls) =>
      polls
        .filter((poll, index) => isTooFast(poll, polls[index - 1]))
        .map((poll) => {
          const what = `${formatMethodAndPath(poll)} was sent again before the time in Retry-After was over, or before the last answer came`;
          return makeRequestOccurrence(poll, what, { cause: '', entries: [poll.received] });
        }),
    );
  },
};

function isTooFast({ received }: PosRequest, before: PosRequest | undefined): boolean {
  if (!before) return false;
  const end = endEntryOf(before);
  if (!end || end.seq > received.seq) return true;
  const waitMs = Number(before.answered?.data.headers?.['Retry-After'] ?? 0) * 1000;
  return elapsedMsBetween(end, received) < waitMs * tolerance;
}
