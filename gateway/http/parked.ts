import type { AnyCall } from './endpoint.ts';

/** The function of a call by which a handler says that it waits. Such a wait does not count as work. */
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
