import { faultsAt, isTriedAtFirstOccurrenceOnly } from './catalogue.ts';
import type { PlannedFault } from './schedule.ts';

/**
 * For each moment, faults are tried at no more than this many occurrences. Later occurrences are left out, because some
 * points of sale ask for the status many times.
 */
const mostOfAMoment = 3;

/**
 * Returns all faults to try at the moments that a run passed. At each moment, faults are tried at the first three
 * occurrences.
 *
 * @param known how often earlier runs passed each moment. Faults at these occurrences are left out, because they were
 * tried already.
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
 * Returns lines of the report about moments with more occurrences than were tried. There is at most one line about
 * faults that are tried only at the first occurrence of a moment, and at most one line about all other faults.
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
  const once = came((moment) => faultsAt(moment, 1).some(isTriedAtFirstOccurrenceOnly), 1);
  return [
    ...(often === ''
      ? []
      : [
          `these moments occurred often, and faults were tried only at the first ${mostOfAMoment} occurrences of each moment: ${often}`,
        ]),
    ...(once === ''
      ? []
      : [
          `each host fault was tried only at the host's first answer. Each shopper fault was tried in one run. In this run, the fault happened every time that its moment occurred. Moments that occurred more than once: ${once}`,
        ]),
  ];
}
