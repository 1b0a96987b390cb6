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

/** The time of a test. */
export interface TestClock {
  /** Whether time is virtual: it then moves only if it is moved, or if something waits for it. */
  readonly virtual: boolean;
  /**
   * Gives the time in milliseconds since 1970.
   *
   * @example
   * console.log(new Date(pinpad.clock.now()).toISOString());
   */
  now(): number;
  /**
   * Lets time pass, in milliseconds or as text; everything that falls due meanwhile happens. In real time it waits as long.
   *
   * @throws ScenarioError if it is no time
   *
   * @example
   * await pinpad.clock.pass('150 s');
   */
  pass(time: Duration): Promise<void>;
}
