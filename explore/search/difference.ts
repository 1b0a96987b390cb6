import type { RunRecord } from '../run/run-record.ts';
import { commonBeginning, lineOf } from '../verdict/cause.ts';

/** The first requests in which two runs of the same are not the same. */
export interface Difference {
  readonly at: number;
  readonly first: string;
  readonly second: string;
}

/**
 * Compares two runs by their requests. Requests that were sent side by side may arrive in either order, so runs that have the same
 * requests altogether are the same.
 */
export function firstDifference(one: RunRecord, other: RunRecord): Difference | undefined {
  const at = commonBeginning(one.requests, other.requests);
  const [first, second] = [one.requests[at], other.requests[at]];
  if (!first && !second) return undefined;
  const sorted = ({ requests }: RunRecord) => requests.map(lineOf).sort().join('\n');
  if (sorted(one) === sorted(other)) return undefined;
  const said = (request: typeof first) => (request ? lineOf(request) : 'no further request');
  return { at: at + 1, first: said(first), second: said(second) };
}
