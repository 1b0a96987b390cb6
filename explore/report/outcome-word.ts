import { scheduleText } from '../plan/schedule.ts';
import type { ExploredSchedule } from '../search/run-schedules.ts';
import { isFailure } from '../verdict/verdict.ts';
import type { Findings } from './failures.ts';

/** The word with which reports describe how one run ended. */
export type OutcomeWord = 'survived' | 'failed' | 'testFails' | 'unstable' | 'known';

export function outcomeWord(one: ExploredSchedule, { known }: Pick<Findings, 'known'>): OutcomeWord {
  if (one.unstable) return 'unstable';
  if (known.includes(one)) return 'known';
  if (isFailure(one.verdict)) return 'failed';
  return one.verdict.is === 'testFails' ? 'testFails' : 'survived';
}

/** Names the planned schedule of a run, and also the simpler schedule if one was found that fails in the same way. */
export function schedulesText({ wanted, schedule }: ExploredSchedule): string {
  const [planned, shown] = [scheduleText(wanted), scheduleText(schedule)];
  return planned === shown ? planned : `${planned}, also by ${shown}`;
}
