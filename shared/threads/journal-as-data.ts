import type { JournalEntry } from '../journal.ts';

/**
 * Turns the entries into plain data. An entry of the journal computes its data only when they are read, so it cannot be
 * sent to another thread.
 */
export function copyJournalAsPlainData(journal: readonly JournalEntry[]): readonly JournalEntry[] {
  return JSON.parse(JSON.stringify(journal));
}
