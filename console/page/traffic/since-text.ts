import type { JournalEntry } from '../../../shared/journal.ts';

/**
 * Returns how much later an entry is than the previous one in real time, if virtual time stood still between the two.
 * Both rows then show the same time of day (B263). Undefined if their times of day differ.
 */
export function sinceText(entry: JournalEntry, before: JournalEntry | undefined): string | undefined {
  if (before?.at !== entry.at) return undefined;
  if (entry.realAt === undefined || before.realAt === undefined) return 'same ms';
  return `+${entry.realAt - before.realAt} ms`;
}
