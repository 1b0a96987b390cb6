import type { JournalEntry } from '../shared/journal.ts';

/** What a seed decides of a journal, a line for each entry: real times and connections (B250) are of the machine. */
export function seededLines(journal: readonly JournalEntry[]): string[] {
  return journal.map((entry) => {
    const { data, ...rest } = JSON.parse(JSON.stringify(entry));
    return JSON.stringify({ ...rest, realAt: undefined, data: { ...data, connection: undefined } });
  });
}
