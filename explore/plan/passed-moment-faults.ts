import { faultsAt, isTriedOnce } from './catalogue.ts';
import type { PlannedFault } from './schedule.ts';

/**
 * Faults are tried only at the first occurrences of a moment, at most at this many, because a polling point of sale
 * asks for the status again and again.
 */
const mostOfAMoment = 3;

/**
 * Returns every fault for each occurrence of the moments that a run passed.
 *
 * @param known how often earlier runs passed each moment. These occurrences are left out.
 */
export function faultsAtPassedMoments(
  passed: ReadonlyMap<string, number>,
  without: ReadonlySet<string>,
  known: ReadonlyMap<string, number> = new Map(),
): PlannedFault[] {
  return [...passed].flatMap(([moment, times]) => {
    const before = known.get(moment) ?? 0;
    const further = Math.max(0, Math.min(times, mostOfAMoment) - before);
    return Array.from({ length: further }, (_, index) =>
      faultsAt(moment, before + index + 1, without),
    ).flat();
  });
}

/**
 * Returns the report's lines about moments that runs reached more often than faults were tried there: at most one line
 * for faults that are set once, and one for all other faults.
 */
export function untriedOccurrenceLines(runs: readonly ReadonlyMap<string, number>[]): string[] {
  const most = new Map<string, number>();
  for (const passed of runs)
    for (const [moment, times] of passed) most.set(moment, Math.max(most.get(moment) ?? 0, times));
  const came = (isTried: (moment: string) => boolean, limit: number) =>
    [...most]
      .filter(([moment, times]) => times > limit && isTried(moment))
      .map(([moment, times]) => `${moment} came ${times} times`)
      .join(', ');
  const often = came((moment) => faultsAt(moment, 2).length > 0, mostOfAMoment);
  const once = came((moment) => faultsAt(moment, 1).some(isTriedOnce), 1);
  return [
    ...(often === ''
      ? []
      : [`these moments occurred often, and only their first ${mostOfAMoment} times were tried: ${often}`]),
    ...(once === ''
      ? []
      : [
          `host faults were tried at the first answer only, and shopper faults at all screens together: ${once}`,
        ]),
  ];
}
