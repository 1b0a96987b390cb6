import { scheduleText } from '../plan/schedule.ts';
import type { ExploredSchedule } from '../search/run-schedules.ts';
import { isFailure } from '../verdict/verdict.ts';
import type { ExplorationFindings } from './failures.ts';

/** The word with which reports describe how one run ended. */
export type OutcomeWord = 'survived' | 'failed' | 'testFails' | 'unstable' | 'known';

export function outcomeWordOf(
  one: ExploredSchedule,
  { known }: Pick<ExplorationFindings, 'known'>,
): OutcomeWord {
  if (one.unstable) return 'unstable';
  if (known.includes(one)) return 'known';
  if (isFailure(one.verdict)) return 'failed';
  return one.verdict.is === 'testFails' ? 'testFails' : 'survived';
}

/**
 * Returns the name of the planned schedule of a run. If a simpler schedule was found that fails in the same way, the
 * text also names that schedule.
 */
export function exploredScheduleText({ wanted, schedule }: ExploredSchedule): string {
  const [planned, shown] = [scheduleText(wanted), scheduleText(schedule)];
  return planned === shown ? planned : `${planned}, also by ${shown}`;
}
