import { isCombinable } from '../plan/combining.ts';
import {
  durationMsInFaultName,
  kindInFaultName,
  type PlannedFault,
  type Schedule,
} from '../plan/schedule.ts';

/**
 * Returns schedules that are simpler than a failing schedule, the simplest first. In each of them, one fault is
 * removed, or happens at the first occurrence of its moment, or lasts half as long. A schedule with only one fault has
 * no simpler schedules, because the report must name exactly the fault that was explored.
 */
export function makeSimplerSchedules(schedule: Schedule): Schedule[] {
  if (schedule.length < 2) return [];
  const fewer = schedule.map((_, index) => schedule.toSpliced(index, 1));
  const easier = schedule.flatMap((planned, index) =>
    simplerFaults(planned).map((simpler) => schedule.with(index, simpler)),
  );
  return [...fewer, ...easier].filter(isCombinable);
}

function simplerFaults({ fault, moment, nth }: PlannedFault): PlannedFault[] {
  const earlier = typeof nth === 'number' && nth > 1 ? [{ fault, moment, nth: 1 }] : [];
  const ms = durationMsInFaultName(fault);
  if (ms === undefined || ms < 2_000) return earlier;
  const shorter = `${kindInFaultName(fault)}-${Math.round(ms / 2_000)}s`;
  return [...earlier, { fault: shorter, moment, nth }];
}
