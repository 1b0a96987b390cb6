import type { PosRequest } from '../requests/pos-request.ts';
import { hasOutcome, isUnderWay, leftUnknown } from './rule.ts';

/** As many of one sale, the latest, are judged together, and as many of which the outcome is not in the answer. */
export const mostOfASale = 30;

/**
 * The requests of a sale that are judged together while it goes on, in their order (B360). Rules compare each with each, and a
 * point of sale without references that sells one thing all day, at one terminal, seems to try the same sale again and again. What
 * was left unknown stays among them, however often it is asked for, with the first answer that made it known.
 */
export function latestOf(all: readonly PosRequest[]): readonly PosRequest[] {
  if (all.length <= mostOfASale) return all;
  const unknown = all.filter(isWithoutOutcome).slice(-mostOfASale);
  const learnt = unknown.flatMap((each) => all.find((other) => tellsOf(other, each)) ?? []);
  const chosen = new Set([...unknown, ...learnt, ...all.slice(-mostOfASale)]);
  return all.filter((each) => chosen.has(each));
}

/** A payment whose own answer did not tell how it ended, so far. */
function isWithoutOutcome(request: PosRequest): boolean {
  const { kind, answered } = request;
  return kind === 'payment' && (answered === undefined || leftUnknown(request) || isUnderWay(request));
}

function tellsOf(request: PosRequest, of: PosRequest): boolean {
  if (request === of || !hasOutcome(request)) return false;
  if (request.payment !== undefined && request.payment === of.payment) return true;
  const key = request.kind === 'payment' ? request.key : request.named.idempotencyKey;
  return of.key !== undefined && key === of.key;
}
