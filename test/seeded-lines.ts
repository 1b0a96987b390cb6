import type { JournalEntry } from '../shared/journal.ts';

/**
 * Returns a journal as lines, without real times and connections (B250), which depend on the machine. A seed decides
 * all the rest.
 */
export function seededLines(journal: readonly JournalEntry[]): string[] {
  return journal.map((entry) => {
    const { data, ...rest } = JSON.parse(JSON.stringify(entry));
    return JSON.stringify({ ...rest, realAt: undefined, data: { ...data, connection: undefined } });
  });
}
