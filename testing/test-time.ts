import { durationSchema, parseDurationMs, ScenarioError } from '../scenarios/index.ts';

/** A length of time: milliseconds, or text such as `150 s`, `2 min`, `48 h`. */
export type Duration = number | string;

/**
 * Turns a length of time into milliseconds.
 *
 * @throws ScenarioError if the value is not a length of time. The clock would never stop moving with such a value
 */
export function durationInMs(time: Duration): number {
  const { success, error } = durationSchema.safeParse(typeof time === 'number' ? `${time} ms` : time);
  if (success) return typeof time === 'number' ? time : parseDurationMs(time);
  throw new ScenarioError(`${time}: ${error.issues[0]?.message}, or milliseconds`);
}

/** The clock of a test. */
export interface TestClock {
  /** Whether time is virtual. Virtual time moves only if the test moves it, or if something waits for time to pass. */
  readonly virtual: boolean;
  /**
   * Returns the time in milliseconds since 1970.
   *
   * @example
   * console.log(new Date(pinpad.clock.now()).toISOString());
   */
  now(): number;
  /**
   * Lets time pass, in milliseconds or as text. Everything that is due during this time happens. If the gateway uses
   * real time, waits for the same real time.
   *
   * @throws ScenarioError if the value is not a length of time
   *
   * @example
   * await pinpad.clock.pass('150 s');
   */
  pass(time: Duration): Promise<void>;
}
