import type { PosRequest } from '../requests/pos-request.ts';
import { isAbout } from './retries.ts';
import { hasOutcome, isOutcomeUnknown, isUnderWay } from './rule.ts';

/**
 * The maximum number of requests of one sale that are judged together, which are the latest. The same limit applies to
 * those among them whose answers lack the outcome.
 */
export const mostOfASale = 30;

/**
 * Returns the requests of a sale that are judged together while the sale goes on, in order (B360). Rules compare each
 * request with every other one, and a point of sale that sends no references and sells one thing all day at one
 * terminal seems to repeat the same sale again and again. Requests whose outcome stayed unknown remain in the list,
 * however often the point of sale asked for it, together with the first answer that contained the outcome.
 */
export function requestsToJudge(all: readonly PosRequest[]): readonly PosRequest[] {
  if (all.length <= mostOfASale) return all;
  const unknown = all.filter(isWithoutOutcome).slice(-mostOfASale);
  const learnt = unknown.flatMap((each) => all.find((other) => tellsOf(other, each)) ?? []);
  const chosen = new Set([...unknown, ...learnt, ...all.slice(-mostOfASale)]);
  return all.filter((each) => chosen.has(each));
}

/** Whether this is a payment whose own answer did not contain the outcome. */
function isWithoutOutcome(request: PosRequest): boolean {
  const { kind, answered } = request;
  return kind === 'payment' && (answered === undefined || isOutcomeUnknown(request) || isUnderWay(request));
}

function tellsOf(request: PosRequest, of: PosRequest): boolean {
  return request !== of && hasOutcome(request) && isAbout(request, of);
}
