/** How long a terminal takes, in milliseconds, for the steps that a person watches. */
export interface Pacing {
  /** The time from power-on to ready. */
  readonly startMs: number;
  readonly readChipMs: number;
  readonly readTapMs: number;
  readonly readStripeMs: number;
  /** How long a result stays on the screen. */
  readonly resultMs: number;
  readonly printMs: number;
  /** How long "Wrong PIN", "card unreadable" and similar messages stay on the screen. */
  readonly errorMs: number;
}

/** The pacing that a person expects of a real terminal. */
export const naturalPacing: Pacing = {
  startMs: 1500,
  readChipMs: 1200,
  readTapMs: 500,
  readStripeMs: 600,
  resultMs: 2500,
  printMs: 1500,
  errorMs: 1800,
};

/** The pacing for test suites, crash tests and benchmarks: no step takes any time. */
export const instantPacing: Pacing = {
  startMs: 0,
  readChipMs: 0,
  readTapMs: 0,
  readStripeMs: 0,
  resultMs: 0,
  printMs: 0,
  errorMs: 0,
};
