import type { PosRequest } from '../requests/pos-request.ts';
import { isAboutSamePayment } from './retries.ts';
import { hasOutcome, isOutcomeUnknown, isPaymentUnderWay } from './rule.ts';

/**
 * At most this many requests of one sale are judged together: the latest requests. In addition, at most the same number
 * of payments are judged whose own answers lack the outcome.
 */
export const mostJudgedRequests = 30;

/**
 * Chooses the requests of a sale that are judged together while more requests may come (B360). Returns them in order.
 * The number of requests is limited, because rules compare each request with every other request. A limit is needed: if
 * a point of sale sends no references and sells one thing all day at one terminal, all its requests seem to belong to
 * one sale. The latest payments whose own answers lack the outcome remain in the list, however often the point of sale
 * asked about them. For each of these payments, the first request whose answer contained the outcome remains too.
 */
export function chooseRequestsToJudge(all: readonly PosRequest[]): readonly PosRequest[] {
  if (all.length <= mostJudgedRequests) return all;
  const unknown = all.filter(isWithoutOutcome).slice(-mostJudgedRequests);
  const learnt = unknown.flatMap((each) => all.find((other) => tellsOf(other, each)) ?? []);
  const chosen = new Set([...unknown, ...learnt, ...all.slice(-mostJudgedRequests)]);
  return all.filter((each) => chosen.has(each));
}

/** Whether this is a payment whose own answer did not contain the outcome. */
function isWithoutOutcome(request: PosRequest): boolean {
  const { kind, answered } = request;
  return (
    kind === 'payment' && (answered === undefined || isOutcomeUnknown(request) || isPaymentUnderWay(request))
  );
}

function tellsOf(request: PosRequest, of: PosRequest): boolean {
  return request !== of && hasOutcome(request) && isAboutSamePayment(request, of);
}
