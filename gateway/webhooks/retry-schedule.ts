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

/**
 * Gives the maximum delay that {@link retryDelayMs} can give after the attempt with this number; 0 before the first
 * attempt.
 */
export function longestRetryDelayMs(tries: number, unitMs: number): number {
  return Math.round(((retrySeconds[tries - 1] ?? 0) * unitMs * 11_000) / 10_000);
}

/**
 * Gives the delay after the attempt with this number (1 for the first); undefined after the last attempt. The delay
 * varies by up to a tenth, so that a receiver that was down does not get everything at once.
 */
export function retryDelayMs(tries: number, unitMs: number, random: Random): number | undefined {
  const seconds = retrySeconds[tries - 1];
  if (seconds === undefined) return undefined;
  return Math.round((seconds * unitMs * (9_000 + random.int(2_001))) / 10_000);
}
