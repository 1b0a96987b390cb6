/**
 * Returns how many examples a random test draws, or how many rounds a crash test plays: `atDesk` under `npm test`, and
 * PINPAD_DRAWS times as many if that variable is set. `.ci/run` draws six times as many.
 * @example await fc.assert(fc.property(fc.string(), holds), { seed, numRuns: draws(50) });
 */
export function draws(atDesk: number): number {
  return Math.ceil(atDesk * times);
}

const times = Number(process.env.PINPAD_DRAWS ?? 1);
if (!(times > 0 && times < Number.POSITIVE_INFINITY))
  throw new Error(`PINPAD_DRAWS says how many times as much is drawn, as 4: not ${process.env.PINPAD_DRAWS}`);

/**
 * True in `.ci/run`. Some tests keep both processors busy for half a minute, and have a command of their own. Elsewhere
 * these tests run only with that command.
 */
export const nobodyWaits = times > 1;
