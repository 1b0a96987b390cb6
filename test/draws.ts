/**
 * Returns how many examples a random test draws, or how many rounds a crash test plays: `atDesk` under `npm test`, and
 * PINPAD_DRAWS times as many if that variable is set. `.ci/run` draws six times as many.
 * @example await fc.assert(fc.property(fc.string(), holds), { seed, numRuns: scaledDraws(50) });
 */
export function scaledDraws(atDesk: number): number {
  return Math.ceil(atDesk * times);
}

/**
 * Under `npm test`, returns one of every `oneIn` cases of a test. In a thorough run, returns all cases. Calls with
 * different values of `shift` choose different cases, so several calls together can choose every case.
 * @example test.each(sampleCases(moments, 3))('the network goes at %s', …);
 */
export function sampleCases<T>(cases: readonly T[], oneIn: number, shift = 0): T[] {
  const step = Math.ceil(oneIn / times);
  return cases.filter((_, index) => (index + shift) % step === 0);
}

const times = Number(process.env.PINPAD_DRAWS ?? 1);
if (!(times > 0 && times < Number.POSITIVE_INFINITY))
  throw new Error(`PINPAD_DRAWS says how many times as much is drawn, as 4: not ${process.env.PINPAD_DRAWS}`);

/**
 * Whether costly tests run, too. They run in `.ci/run`, and also if the developer names the tests that Vitest runs.
 * `npm test` leaves them out.
 */
export const isThoroughRun = times > 1;
