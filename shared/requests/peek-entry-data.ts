import type { JournalEntry } from '../journal.ts';
import { LazyJournalEntry } from '../journal-entry.ts';

/** Returns some of an entry's data and headers. The journal makes and masks only these data, and does not keep them. */
export function peekEntryData<Entry extends JournalEntry, Field extends keyof Entry['data'] & string>(
  entry: Entry,
  fields: readonly Field[],
  headers: readonly string[] = [],
): Pick<Entry['data'], Field> {
  const data: unknown = entry instanceof LazyJournalEntry ? entry.glance(fields, headers) : entry.data;
  return data as Pick<Entry['data'], Field>;
}
