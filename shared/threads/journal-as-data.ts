import type { JournalEntry } from '../journal.ts';

/**
 * Turns the entries into plain data. The journal computes an entry's data only when they are read, and such entries
 * cannot be sent to another thread.
 */
export function journalAsData(journal: readonly JournalEntry[]): readonly JournalEntry[] {
  return JSON.parse(JSON.stringify(journal));
}
