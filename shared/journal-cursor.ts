/** A reader's place in a journal: after an entry's number, or after a position that a journal of several gateways gave. */
export type JournalPlace = number | string;

/** Reads a journal from a place onward. */
export interface JournalCursor<Entry> {
  /** Gives the entries that follow its place now, oldest first. */
  ahead(): Entry[];
  /** Moves its place to after the entry, which is the next one ahead. */
  pass(entry: Entry): void;
  /** Whether both have the same entries ahead, now and later. */
  isLevelWith(other: JournalCursor<Entry>): boolean;
  /** The place from which a reader can go on later. */
  readonly place: JournalPlace;
}
