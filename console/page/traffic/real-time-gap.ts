import type { JournalEntry } from '../../../shared/journal.ts';

/**
 * Returns the real time between an entry and the previous entry if both have the same virtual time. The rows of both
 * entries show the same time of day, so only this text tells how far apart the entries are (B263). Undefined if the
 * virtual times differ.
 */
export function describeRealTimeGap(
  entry: JournalEntry,
  before: JournalEntry | undefined,
): string | undefined {
  if (before?.at !== entry.at) return undefined;
  if (entry.realAt === undefined || before.realAt === undefined) return 'same ms';
  return `+${entry.realAt - before.realAt} ms`;
}
