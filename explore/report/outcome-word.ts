import { scheduleText } from '../plan/planned.ts';
import type { Explored } from '../search/search.ts';
import { isFailure } from '../verdict/verdict.ts';
import type { Findings } from './failures.ts';

/** A report's word for one run. */
export type OutcomeWord = 'survived' | 'failed' | 'testFails' | 'unstable' | 'known';

export function outcomeWord(one: Explored, { known }: Pick<Findings, 'known'>): OutcomeWord {
  if (one.unstable) return 'unstable';
  if (known.includes(one)) return 'known';
  if (isFailure(one.verdict)) return 'failed';
  return one.verdict.is === 'testFails' ? 'testFails' : 'survived';
}

/** Names a run's planned schedule, and the simpler one that it shrank to, if it did. */
export function plannedText({ wanted, schedule }: Explored): string {
  const [planned, shown] = [scheduleText(wanted), scheduleText(schedule)];
  return planned === shown ? planned : `${planned}, also by ${shown}`;
}
