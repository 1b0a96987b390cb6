import type { JournalEntry } from '../shared/journal.ts';

/** What a seed decides of a journal, a line for each entry: real times (B250) are of the machine. */
export function seededLines(journal: readonly JournalEntry[]): string[] {
  return journal.map((entry) => JSON.stringify({ ...JSON.parse(JSON.stringify(entry)), realAt: undefined }));
}
