import type { Random } from '../../shared/random.ts';

const minute = 60;
const hour = 60 * minute;

/** A delay varies by up to this many ten-thousandths. */
const spread = 1_000;
const perMyriad = 10_000;

/** The delay after each failed attempt, in seconds (B107). Tests may make such a second shorter: `msPerSecond`. */
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
export function longestRetryDelayMs(tries: number, msPerSecond: number): number {
  const ms = (retrySeconds[tries - 1] ?? 0) * msPerSecond;
  return Math.round((ms * (perMyriad + spread)) / perMyriad);
}

/**
 * Gives the delay after the attempt with this number (1 for the first); undefined after the last attempt. The delay
 * varies by up to a tenth, so that a receiver that was down does not get everything at once.
 */
export function retryDelayMs(tries: number, msPerSecond: number, random: Random): number | undefined {
  const seconds = retrySeconds[tries - 1];
  if (seconds === undefined) return undefined;
  const share = perMyriad - spread + random.int(2 * spread + 1);
  return Math.round((seconds * msPerSecond * share) / perMyriad);
}
