import type { JournalEntry } from '../journal.ts';
import { readEntryField } from '../journal-fields.ts';
import { readPosRequests } from './read-requests.ts';

/**
 * Returns the entries about one payment: the payment's own entries, the entries of requests about the payment, and the
 * entries of the payment's terminal during the payment. Returns an empty list if the journal does not know the payment.
 */
export function entriesOfPayment(entries: readonly JournalEntry[], payment: string): JournalEntry[] {
  const requests = new Set(
    readPosRequests(entries)
      .filter((request) => request.payment === payment)
      .map(({ requestId }) => requestId),
  );
  const isOwn = (entry: JournalEntry) =>
    entry.payment === payment || requests.has(readEntryField(entry, 'requestId') ?? '');
  const first = entries.find(isOwn)?.seq ?? Number.POSITIVE_INFINITY;
  const last = entries.findLast(isOwn)?.seq ?? 0;
  const terminals = new Set(entries.filter(isOwn).flatMap(({ terminal }) => terminal ?? []));
  return entries.filter(
    (entry) =>
      isOwn(entry) ||
      (entry.payment === undefined &&
        entry.terminal !== undefined &&
        terminals.has(entry.terminal) &&
        entry.seq >= first &&
        entry.seq <= last),
  );
}
