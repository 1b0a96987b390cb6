import type { JournalEntry } from '../shared/journal.ts';

/**
 * Returns a journal as lines. Real times and connections are left out, because they depend on the machine (B250).
 * Everything else depends only on the seed.
 */
export function seededLines(journal: readonly JournalEntry[]): string[] {
  return journal.map((entry) => {
    const { data, ...rest } = JSON.parse(JSON.stringify(entry));
    return JSON.stringify({ ...rest, realAt: undefined, data: { ...data, connection: undefined } });
  });
}
