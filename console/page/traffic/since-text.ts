import type { JournalEntry } from '../../../shared/journal.ts';

/**
 * How much later an entry is than the one above it, in real milliseconds, if virtual time stood still between them:
 * then all rows would show the same time (B263). Undefined if the time of day tells the difference.
 */
export function sinceText(entry: JournalEntry, before: JournalEntry | undefined): string | undefined {
  if (before?.at !== entry.at) return undefined;
  if (entry.realAt === undefined || before.realAt === undefined) return 'same ms';
  return `+${entry.realAt - before.realAt} ms`;
}
