import { isCombinable } from '../plan/combining.ts';
import {
  durationMsInFaultName,
  kindInFaultName,
  type PlannedFault,
  type Schedule,
} from '../plan/schedule.ts';

/**
 * Returns schedules that are simpler than a failing schedule, the simplest first. They have one fault less, or a fault
 * at an earlier occurrence, or half of a fault's duration. Returns none for a schedule with only one fault, because
 * the report must name the fault that was explored.
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
