import type { JournalEntry } from '../journal.ts';
import type { PosRequest } from '../requests/pos-request.ts';
import { readPosRequests } from '../requests/read-requests.ts';
import { findOwnSellerByUserAgent } from '../sales/own-seller.ts';
import { DeliveredOutcomes } from './delivered-outcomes.ts';
import { type Finding, groupFindings } from './finding.ts';
import { lintRules } from './rules.ts';
import { ReferencePaymentCounter } from './shared-references.ts';

export interface LintOptions {
  /**
   * The point of sale was watched until this moment, in epoch milliseconds. If the moment is absent, the point of sale
   * has finished.
   */
  until?: number;
  /**
   * Returns true if a request does not come from the point of sale, for example because a scenario sent the request.
   */
  ignore?: (requestId: string) => boolean;
}

/**
 * Judges the behaviour of a point of sale by the journal of its gateway. Sales of pinpad itself (B238) are not judged.
 *
 * @example const findings = lintJournal(stack.runtime.journal.since()); assert.deepEqual(findings, []);
 */
export function lintJournal(entries: readonly JournalEntry[], options: LintOptions = {}): Finding[] {
  const { until = Number.POSITIVE_INFINITY, ignore = () => false } = options;
  const conclusions = new Map<string | undefined, JournalEntry<'payment.concluded'>>();
  const results = new DeliveredOutcomes((payment) => conclusions.has(payment));
  for (const entry of entries)
    if (entry.kind === 'payment.concluded') conclusions.set(entry.payment, entry);
    else if (entry.kind === 'event.published' || entry.kind === 'webhook.attempted') results.take(entry);
  const requests = readPosRequests(entries).filter(
    ({ requestId, received }) =>
      !ignore(requestId) && findOwnSellerByUserAgent(received.data.headers?.['user-agent']) === undefined,
  );
  const crowds = new ReferencePaymentCounter(new Map());
  for (const request of requests) crowds.count(request);
  const watched = {
    requests,
    isCrowded: (request: PosRequest) => crowds.has(request),
    probes: entries.filter((entry) => entry.kind === 'webhook.probed'),
    conclusionOf: (payment: string) => conclusions.get(payment),
    wasSent: (payment: string) => results.has(payment),
    until,
    realUntil: Number.POSITIVE_INFINITY,
  };
  return lintRules.flatMap((rule) => groupFindings(rule, rule.check(watched)));
}
