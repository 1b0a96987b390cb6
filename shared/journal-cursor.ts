/** A reader's place in a journal: after the entry with this number, or, for several gateways, after a position. */
export type JournalPlace = number | string;

/** Reads a journal from a place onward. */
export interface JournalCursor<Entry> {
  /** Returns the entries that follow the cursor's place now, oldest first. */
  ahead(): Entry[];
  /** Moves the cursor past this entry, which must be the next one ahead. */
  pass(entry: Entry): void;
  /** Whether both cursors have the same entries ahead, now and later. */
  isLevelWith(other: JournalCursor<Entry>): boolean;
  /** The place from which a reader can go on later. */
  readonly place: JournalPlace;
}
