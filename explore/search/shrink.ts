import { durationInFaultName, kindOf, type Planned, type Schedule } from '../plan/planned.ts';
import { fitTogether } from '../plan/together.ts';

/**
 * Returns schedules that are simpler than a failing one, the simplest first: with one fault less, an earlier moment, or
 * half the time. A single fault is not changed, so that the report has the name that was explored.
 */
export function simplerOf(schedule: Schedule): Schedule[] {
  if (schedule.length < 2) return [];
  const fewer = schedule.map((_, index) => schedule.toSpliced(index, 1));
  const easier = schedule.flatMap((planned, index) =>
    simplerFaults(planned).map((simpler) => schedule.with(index, simpler)),
  );
  return [...fewer, ...easier].filter(fitTogether);
}

function simplerFaults({ fault, moment, nth }: Planned): Planned[] {
  const earlier = typeof nth === 'number' && nth > 1 ? [{ fault, moment, nth: 1 }] : [];
  const ms = durationInFaultName(fault);
  if (ms === undefined || ms < 2_000) return earlier;
  const shorter = `${kindOf(fault)}-${Math.round(ms / 2_000)}s`;
  return [...earlier, { fault: shorter, moment, nth }];
}
