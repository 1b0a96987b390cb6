import type { AnyCall } from './endpoint.ts';

/**
 * The part of a call that {@link parkCallDuring} needs: the function `park`. A handler calls it when a wait begins,
 * because a wait does not count as work.
 */
export type ParkableCall = Pick<AnyCall, 'park'>;

/**
 * Waits for a person, a terminal or a timer. During the wait the call does not count as work, so virtual time may move.
 */
export async function parkCallDuring<Result>(
  { park }: ParkableCall,
  work: () => Promise<Result>,
  limitMs?: number,
): Promise<Result> {
  const resume = park(limitMs);
  try {
    return await work();
  } finally {
    resume();
  }
}
