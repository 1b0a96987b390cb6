/**
 * Returns how many examples a random test draws, or how many rounds a crash test plays: `atDesk` under `npm test`, and
 * PINPAD_DRAWS times as many if that variable is set. `.ci/run` draws six times as many.
 * @example await fc.assert(fc.property(fc.string(), holds), { seed, numRuns: scaledDraws(50) });
 */
export function scaledDraws(atDesk: number): number {
  return Math.ceil(atDesk * times);
}

/**
 * Returns one in `oneIn` of a test's cases under `npm test`, and all of them in a thorough run. If a test has several lists of
 * the same cases, a `shift` for each list lets every case be in one of them.
 * @example test.each(sampleCases(moments, 3))('the network goes at %s', …);
 */
export function sampleCases<T>(cases: readonly T[], oneIn: number, shift = 0): T[] {
  const step = Math.ceil(oneIn / times);
  return cases.filter((_, index) => (index + shift) % step === 0);
}

const times = Number(process.env.PINPAD_DRAWS ?? 1);
if (!(times > 0 && times < Number.POSITIVE_INFINITY))
  throw new Error(`PINPAD_DRAWS says how many times as much is drawn, as 4: not ${process.env.PINPAD_DRAWS}`);

/** True in `.ci/run`, and in a run of tests that the developer names. `npm test` leaves out the costly tests. */
export const isThoroughRun = times > 1;
