import type { PosRequest } from '../requests/pos-request.ts';
import { isAboutSamePayment } from './retries.ts';
import { hasOutcome, isOutcomeUnknown, isUnderWay } from './rule.ts';

/**
 * At most this many requests of one sale are judged together: the latest ones. In addition, at most as many payments
 * are kept whose own answers lack the outcome.
 */
export const mostJudgedRequests = 30;

/**
 * Returns the requests of a sale that are judged together while the sale goes on, in order (B360). Their number is
 * limited, because rules compare each request with every other one. A point of sale that sends no references and sells
 * one thing all day at one terminal seems to repeat the same sale again and again. Payments whose own answers lack the
 * outcome remain in the list, however often the point of sale asked about them. For each of them, the first answer that
 * contained the outcome remains, too.
 */
export function requestsToJudge(all: readonly PosRequest[]): readonly PosRequest[] {
  if (all.length <= mostJudgedRequests) return all;
  const unknown = all.filter(isWithoutOutcome).slice(-mostJudgedRequests);
  const learnt = unknown.flatMap((each) => all.find((other) => tellsOf(other, each)) ?? []);
  const chosen = new Set([...unknown, ...learnt, ...all.slice(-mostJudgedRequests)]);
  return all.filter((each) => chosen.has(each));
}

/** Whether this is a payment whose own answer did not contain the outcome. */
function isWithoutOutcome(request: PosRequest): boolean {
  const { kind, answered } = request;
  return kind === 'payment' && (answered === undefined || isOutcomeUnknown(request) || isUnderWay(request));
}

function tellsOf(request: PosRequest, of: PosRequest): boolean {
  return request !== of && hasOutcome(request) && isAboutSamePayment(request, of);
}
