/**
 * A reader's place in a journal: the number of the last entry that was read. If there are several gateways, the place
 * is the text of a `JournalPosition`.
 */
export type JournalPlace = number | string;

/** Reads a journal from a place onward. */
export interface JournalCursor<Entry> {
  /** Returns the entries that come after the cursor's place, oldest first. */
  ahead(): Entry[];
  /** Moves the cursor past this entry. The entry must be the next one after the cursor's place. */
  pass(entry: Entry): void;
  /** Whether both cursors are at the same place, so that the same entries come after both. */
  isLevelWith(other: JournalCursor<Entry>): boolean;
  /** The place from which a reader can continue later. */
  readonly place: JournalPlace;
}
