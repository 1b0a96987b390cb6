import type { PosRequest } from '../requests/pos-request.ts';
import { isAbout } from './retries.ts';
import { hasOutcome, isUnderWay, leftUnknown } from './rule.ts';

/**
 * The most requests of one sale that are judged together: the latest. The same limit applies to those among them whose
 * answers lack the outcome.
 */
export const mostOfASale = 30;

/**
 * The requests of a sale that are judged together while the sale goes on, in order (B360). Rules compare each request
 * with each other one, and a point of sale that sends no references and sells one thing all day, at one terminal, seems
 * to try the same sale again and again. Requests whose outcome stayed unknown remain in the list, however often the
 * point of sale asked for it, together with the first answer that told it.
 */
export function judgedTogether(all: readonly PosRequest[]): readonly PosRequest[] {
  if (all.length <= mostOfASale) return all;
  const unknown = all.filter(isWithoutOutcome).slice(-mostOfASale);
  const learnt = unknown.flatMap((each) => all.find((other) => tellsOf(other, each)) ?? []);
  const chosen = new Set([...unknown, ...learnt, ...all.slice(-mostOfASale)]);
  return all.filter((each) => chosen.has(each));
}

/** Whether this is a payment whose own answer did not tell how it ended. */
function isWithoutOutcome(request: PosRequest): boolean {
  const { kind, answered } = request;
  return kind === 'payment' && (answered === undefined || leftUnknown(request) || isUnderWay(request));
}

function tellsOf(request: PosRequest, of: PosRequest): boolean {
  return request !== of && hasOutcome(request) && isAbout(request, of);
}
