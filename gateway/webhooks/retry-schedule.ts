import type { Random } from '../../shared/random.ts';

const minute = 60;
const hour = 60 * minute;

/** The delay after each failed attempt, in seconds (B107). */
export const retrySeconds = [
  5,
  5 * minute,
  30 * minute,
  2 * hour,
  5 * hour,
  10 * hour,
  14 * hour,
  20 * hour,
  24 * hour,
] as const;

/** The longest delay that {@link retryDelayMs} gives after the attempt of this number; 0 before the first. */
export function longestRetryDelayMs(tries: number, unitMs: number): number {
  return Math.round(((retrySeconds[tries - 1] ?? 0) * unitMs * 11_000) / 10_000);
}

/**
 * The delay after the attempt of this number (1 for the first), up to a tenth longer or shorter, so that receivers that
 * were down do not get everything at once; undefined after the last attempt.
 */
export function retryDelayMs(tries: number, unitMs: number, random: Random): number | undefined {
  const seconds = retrySeconds[tries - 1];
  if (seconds === undefined) return undefined;
  return Math.round((seconds * unitMs * (9_000 + random.int(2_001))) / 10_000);
}
