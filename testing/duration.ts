import { duration, durationMs, ScenarioError } from '../scenarios/index.ts';

/** A time: milliseconds, or text such as `150 s`, `2 min`, `48 h`. */
export type Duration = number | string;

/**
 * Turns a time into milliseconds.
 *
 * @throws ScenarioError if it is no time, because the clock would move without end to a moment that never comes
 */
export function inMs(time: Duration): number {
  const { success, error } = duration.safeParse(typeof time === 'number' ? `${time} ms` : time);
  if (success) return typeof time === 'number' ? time : durationMs(time);
  throw new ScenarioError(`${time}: ${error.issues[0]?.message}, or milliseconds`);
}
