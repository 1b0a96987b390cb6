import type { Clock as WholeClock } from '../../shared/clock.ts';
import type { Timeouts } from '../../shared/timeouts.ts';
import type { CreditRow } from '../store/rows/credits.ts';
import type { CreditFacts, State } from './core/step.ts';

type Clock = Pick<WholeClock, 'now' | 'elapsedSince'>;

interface Now {
  clock: Clock;
  timeouts: Pick<Timeouts, 'securityLockMs'>;
}

/** Returns the current values that a decision about a credit needs. */
export function makeCreditFacts(state: State, { clock, timeouts }: Now): CreditFacts {
  const lockMs = timeouts.securityLockMs;
  const now = clock.now();
  if (state.is === 'none') return { now, inTime: false, lockedUntil: undefined, lockMs };
  const { credit } = state;
  return {
    now,
    inTime: isInTime(credit, clock),
    lockedUntil: findLinkLockEnd(credit, clock, lockMs),
    lockMs,
  };
}

/** Returns whether a customer can still use a link. The expiry time decides, even if the expiry is not stored yet. */
export function isLinkOpen(credit: CreditRow, clock: Clock): boolean {
  return credit.state === 'initiated' && isInTime(credit, clock);
}

/** Gives the time until which the link is locked after too many wrong answers; undefined if the link is not locked. */
export function findLinkLockEnd(
  { locked_until }: CreditRow,
  clock: Clock,
  lockMs: number,
): number | undefined {
  if (locked_until === null) return undefined;
  const leftMs = lockMs - clock.elapsedSince(locked_until - lockMs);
  return leftMs > 0 ? clock.now() + leftMs : undefined;
}

function isInTime({ created_at, expires_at }: CreditRow, clock: Clock): boolean {
  return clock.elapsedSince(created_at) < expires_at - created_at;
}
