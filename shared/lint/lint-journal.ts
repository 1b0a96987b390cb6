import type { JournalEntry } from '../journal.ts';
import { readRequests } from '../requests/read-requests.ts';
import { blindRefundRetry } from './blind-refund-retry.ts';
import { cardNumberSent } from './card-number.ts';
import { missingKey, reusedKey, unhonouredKey } from './idempotency-keys.ts';
import { ignored303, unknownOutcome } from './outcome-known.ts';
import type { LintRule, Severity } from './rule.ts';
import { fastPolling, shortTimeout } from './timing.ts';
import { unknownField } from './unknown-field.ts';
import { unverifiedWebhook } from './unverified-webhook.ts';

/** Every rule, errors first, the gravest of each first. */
export const lintRules: readonly LintRule[] = [
  unknownOutcome,
  ignored303,
  blindRefundRetry,
  unverifiedWebhook,
  reusedKey,
  missingKey,
  shortTimeout,
  unhonouredKey,
  cardNumberSent,
  fastPolling,
  unknownField,
];

/** Something a point of sale does that will go wrong in the field. */
export interface Finding {
  readonly rule: string;
  readonly severity: Severity;
  /** What was seen. */
  readonly what: string;
  readonly why: string;
  readonly fix: string;
  /** The journal's entries that show it, by seq. */
  readonly entries: readonly number[];
  /** When, epoch milliseconds of the journal's clock. */
  readonly at: number;
  readonly payment?: string;
}

export interface LintOptions {
  /** Until when the point of sale was watched, epoch milliseconds; if absent, it is over. */
  until?: number;
  /** Requests that are not the point of sale's: those of a scenario's own POS. */
  ignore?: (requestId: string) => boolean;
}

/**
 * How a point of sale behaved, by the journal of the gateway it talked to.
 *
 * @example
 * const findings = lintJournal(stack.runtime.journal.since());
 * assert.deepEqual(findings, []);
 */
export function lintJournal(entries: readonly JournalEntry[], options: LintOptions = {}): Finding[] {
  const { until = Number.POSITIVE_INFINITY, ignore = () => false } = options;
  const requests = readRequests(entries).filter(({ requestId }) => !ignore(requestId));
  return lintRules.flatMap(({ id, severity, why, fix, check }) =>
    check({ entries, requests, until }).map(({ what, entries: shown, payment }) => ({
      rule: id,
      severity,
      what,
      why,
      fix,
      entries: shown.map(({ seq }) => seq),
      at: shown[0]?.at ?? 0,
      ...(payment === undefined ? {} : { payment }),
    })),
  );
}
