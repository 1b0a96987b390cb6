import type { JournalEntry } from '../../shared/journal.ts';
import type { ToldRequest } from './run-record.ts';

/**
 * How often each moment was passed: requests and the host's and events' as the journal shows them.
 *
 * @param counts of the terminal's moments and of the gateway's
 */
export function passedMoments(
  entries: readonly JournalEntry[],
  requests: readonly ToldRequest[],
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

/** Of a debit's refund nobody asks it. */
function asksHost({ kind, data }: JournalEntry): boolean {
  return (
    kind === 'ledger.authorized' ||
    kind === 'ledger.declined' ||
    (kind === 'ledger.refunded' && data.rule !== undefined)
  );
}
