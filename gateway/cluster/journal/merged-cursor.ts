import type { JournalEntry } from '../../../shared/journal.ts';
import type { JournalCursor, JournalPlace } from '../../../shared/journal-cursor.ts';
import type { JournalPosition } from '../../../shared/journal-position.ts';
import type { JournalRing } from '../../../shared/journal-ring.ts';
import type { JournalSources } from './journal-sources.ts';
import { type MergedEntry, makeLostEntriesNotice } from './merged-entry.ts';

interface CursorParts {
  ring: JournalRing<MergedEntry>;
  sources: JournalSources;
  /** Returns the number and the time for an entry that only this reader gets. */
  nextPlace(): { seq: number; at: number };
  /** Returns whether any gateway is of an older release, which understands numbers but no positions. */
  onlyNumbers(): boolean;
}

/**
 * Reads the merged journals from a position on. Entries that this reader has already read at another gateway are left
 * out. If entries are missing, the reader gets an entry that reports this.
 */
export class MergedCursor implements JournalCursor<JournalEntry> {
  readonly #parts: CursorParts;
  readonly #position: JournalPosition;
  /** The number of the last merged entry that this reader has read. */
  #seq: number;

  constructor(parts: CursorParts, position: JournalPosition, seq: number) {
    this.#parts = parts;
    this.#position = position;
    this.#seq = seq;
  }

  ahead(): JournalEntry[] {
    const place = this.#position.copy();
    const found = [...this.#unreadInRing(place), ...this.#unreportedEnds(place)];
    // No entry up to the latest one is new to the reader, so the next search begins after the latest entry.
    if (found.length === 0) this.#seq = Math.max(this.#seq, this.#parts.ring.latest?.seq ?? 0);
    return found as JournalEntry[];
  }

  /** Returns the entries of the ring that a reader at `place` has not read, and moves `place` behind these entries. */
  #unreadInRing(place: JournalPosition): MergedEntry[] {
    return this.#parts.ring.since(this.#seq).flatMap((entry) => this.#unreadOf(entry, place));
  }

  /**
   * Returns the entry, and moves `place` behind it. Returns nothing if a reader at `place` has already read the entry.
   * If earlier entries are missing, an entry that reports this comes first.
   */
  #unreadOf(entry: MergedEntry, place: JournalPosition): MergedEntry[] {
    const { journal, number, isEnd } = entry.origin;
    const reached = place.reachedIn(journal);
    // If this gateway no longer keeps the journal and the reader's position does not name it, the reader has already
    // read the whole journal.
    const isReadToEnd = !reached && !this.#parts.sources.get(journal);
    if (isReadToEnd) return [];
    if (isEnd) {
      const isEndKnown = reached !== undefined && (reached.knowsLoss || reached.number > number);
      if (isEndKnown) return [];
      place.noteLostAfter(journal, number);
      return [entry];
    }
    const isRead = reached !== undefined && number <= reached.number;
    if (isRead) return [];
    const missing = number - (reached?.number ?? 0) - 1;
    place.noteRead(journal, number);
    return missing > 0 ? [droppedBefore(entry, missing), entry] : [entry];
  }

  /**
   * For each journal in `place` from which no more entries come, returns an entry that reports this. Leaves out the
   * journals of which the reader knows this already.
   */
  #unreportedEnds(place: JournalPosition): MergedEntry[] {
    const { sources } = this.#parts;
    return place.journals
      .filter((journal) => sources.get(journal)?.lost || sources.isUnknown(journal))
      .filter((journal) => !place.reachedIn(journal)?.knowsLoss)
      .map((journal) => this.#endOf(journal, place));
  }

  pass(entry: JournalEntry): void {
    const { origin, seq } = entry as unknown as MergedEntry;
    if (origin.isEnd) this.#position.noteLostAfter(origin.journal, origin.number);
    else this.#position.noteRead(origin.journal, origin.number);
    if (origin.isInRing) this.#seq = seq;
  }

  isLevelWith(other: JournalCursor<JournalEntry>): boolean {
    if (!(other instanceof MergedCursor) || other.#seq !== this.#seq) return false;
    return other.#position.text === this.#position.text;
  }

  get place(): JournalPlace {
    if (this.#parts.onlyNumbers()) return this.#seq;
    this.#parts.sources.noteComplete(this.#position);
    this.#position.shorten((journal) => this.#parts.sources.isOver(journal));
    return this.#position.text;
  }

  #endOf(journal: string, position: JournalPosition): MergedEntry {
    const gateway = this.#parts.sources.get(journal)?.gateway;
    const number = position.reachedIn(journal)?.number ?? 0;
    const origin = { journal, number, gateway, isEnd: true };
    return makeLostEntriesNotice(this.#parts.nextPlace(), origin, { why: gatewayEndedText(gateway) });
  }
}

/** Returns the text that explains why no more entries come from a gateway. */
export function gatewayEndedText(gateway: string | undefined): string {
  return `${gateway === undefined ? 'A gateway' : `Gateway ${gateway}`} is gone. Journal entries that only that gateway had are lost unless that gateway comes back`;
}

function droppedBefore({ seq, at, origin }: MergedEntry, count: number): MergedEntry {
  const { journal, number, gateway } = origin;
  const why = `Entries of gateway ${gateway} were dropped before they were read, because a journal keeps only the latest entries`;
  return makeLostEntriesNotice(
    { seq: seq - 1, at },
    { journal, number: number - 1, gateway },
    { count, why },
  );
}
