import type { JournalEntry } from '../../shared/journal.ts';
import type { CommandRequest } from './run-record.ts';

/**
 * Counts how often each moment was passed. The moments of requests, of the host and of events are counted from the
 * journal.
 *
 * @param counts how often the terminal's and the gateway's moments were passed
 */
export function countPassedMoments(
  entries: readonly JournalEntry[],
  requests: readonly CommandRequest[],
  counts: Readonly<Record<string, number>>,
): ReadonlyMap<string, number> {
  const passed = new Map<string, number>();
  const count = (moment: string) => passed.set(moment, (passed.get(moment) ?? 0) + 1);
  for (const { point } of requests) count(point);
  passed.set('start', 1);
  for (const [moment, times] of Object.entries(counts)) if (times > 0) passed.set(moment, times);
  for (const entry of entries)
    if (asksHost(entry)) count('host');
    else if (entry.kind === 'event.published') count('event');
    else if (entry.kind === 'payment.accepted') passed.set('screens', 1);
  return passed;
}

/** Whether an entry says that the host was asked to authorize. For the refund of a debit, the host is not asked. */
function asksHost({ kind, data }: JournalEntry): boolean {
  return (
    kind === 'ledger.authorized' ||
    kind === 'ledger.declined' ||
    (kind === 'ledger.refunded' && data.rule !== undefined)
  );
}
