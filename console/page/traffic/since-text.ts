import type { JournalEntry } from '../../../shared/journal.ts';

/**
 * How much later an entry is than the one above it, where virtual time stood still between them, so that the same time
 * in every row would say nothing: in real milliseconds (B263). Undefined where its time of day says it.
 */
export function sinceText(entry: JournalEntry, before: JournalEntry | undefined): string | undefined {
  if (before?.at !== entry.at) return undefined;
  if (entry.realAt === undefined || before.realAt === undefined) return 'same ms';
  return `+${entry.realAt - before.realAt} ms`;
}
