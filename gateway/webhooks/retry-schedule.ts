import type { Random } from '../../shared/random.ts';

const minute = 60;
const hour = 60 * minute;

/** The chosen delay is shorter or longer than the delay in the schedule by up to this many ten-thousandths. */
const spread = 1_000;
const perMyriad = 10_000;

/**
 * The delay after each failed attempt, in seconds (B107). In tests, a second may be shorter than 1000 ms; see
 * `msPerSecond`.
 */
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
 * Gives the maximum delay that {@link chooseRetryDelayMs} can give after the attempt with this number; 0 before the first
 * attempt.
 */
export function computeMaxRetryDelayMs(tries: number, msPerSecond: number): number {
  const ms = (retrySeconds[tries - 1] ?? 0) * msPerSecond;
  return Math.round((ms * (perMyriad + spread)) / perMyriad);
}

/**
 * Gives the delay after the attempt with this number (1 for the first attempt); undefined after the last attempt. The
 * delay is up to a tenth shorter or longer, so that a receiver that was down does not get all events at once.
 */
export function chooseRetryDelayMs(tries: number, msPerSecond: number, random: Random): number | undefined {
  const seconds = retrySeconds[tries - 1];
  if (seconds === undefined) return undefined;
  const share = perMyriad - spread + random.int(2 * spread + 1);
  return Math.round((seconds * msPerSecond * share) / perMyriad);
}
