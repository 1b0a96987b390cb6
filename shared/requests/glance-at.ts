import type { JournalEntry } from '../journal.ts';
import { RecordedEntry } from '../journal-entry.ts';

/** The data of an entry, of which the body may be missing. The journal keeps nothing for it. */
export function glanceAt<Entry extends JournalEntry>(entry: Entry): Entry['data'] {
  return entry instanceof RecordedEntry ? entry.glance() : entry.data;
}
