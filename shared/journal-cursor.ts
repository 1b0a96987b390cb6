/** Where a reader of a journal is: behind an entry's number, or behind what a position says that many gateways' gave it. */
export type JournalPlace = number | string;

/** Reads a journal from a place on. */
export interface JournalCursor<Entry> {
  /** What is ahead of it now, oldest first. */
  ahead(): Entry[];
  /** Goes behind the entry, the next of those ahead. */
  pass(entry: Entry): void;
  /** Both have the same ahead of them, now and later. */
  isLevelWith(other: JournalCursor<Entry>): boolean;
  /** What a reader is given to go on from here. */
  readonly place: JournalPlace;
}
