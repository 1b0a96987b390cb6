import type { JournalEntry } from '../../shared/journal.ts';
import { momentNames } from '../../shared/moments.ts';
import type { ToldRequest } from './run-record.ts';

const named = new Set<string>(momentNames);

/** How often each moment was passed, as the journal shows it. */
export function passedMoments(
  entries: readonly JournalEntry[],
  requests: readonly ToldRequest[],
): ReadonlyMap<string, number> {
  const passed = new Map<string, number>([['start', 1]]);
  const count = (moment: string) => passed.set(moment, (passed.get(moment) ?? 0) + 1);
  for (const { point } of requests) count(point);
  for (const entry of entries)
    if (entry.kind === 'moment.passed' && named.has(entry.data.moment)) count(entry.data.moment);
    else if (entry.kind === 'ledger.authorized' || entry.kind === 'ledger.declined') count('host');
    else if (entry.kind === 'event.published') count('event');
    else if (entry.kind === 'payment.accepted') passed.set('screens', 1);
  return passed;
}
