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
    const { ring, sources } = this.#parts;
    const until = this.#position.copy();
    const found: MergedEntry[] = [];
    for (const entry of ring.since(this.#seq)) {
      const { journal, number, isEnd } = entry.origin;
      const reached = until.of(journal);
      // If this gateway no longer keeps the journal and the reader's position does not name it, the reader has already
      // read the whole journal.
      if (!reached && !sources.get(journal)) continue;
      if (isEnd) {
        if (reached?.told || (reached && reached.number > number)) continue;
        until.tell(journal, number);
      } else {
        if (reached && number <= reached.number) continue;
        const missing = number - (reached?.number ?? 0) - 1;
        if (missing > 0) found.push(droppedBefore(entry, missing));
        until.pass(journal, number);
      }
      found.push(entry);
    }
    for (const journal of until.journals) {
      const isGone = sources.get(journal)?.lost || sources.isUnknown(journal);
      if (isGone && !until.of(journal)?.told) found.push(this.#endOf(journal, until));
    }
    if (found.length === 0) this.#seq = Math.max(this.#seq, ring.latest?.seq ?? 0);
    return found as JournalEntry[];
  }

  pass(entry: JournalEntry): void {
    const { origin, seq } = entry as unknown as MergedEntry;
    if (origin.isEnd) this.#position.tell(origin.journal, origin.number);
    else this.#position.pass(origin.journal, origin.number);
    if (origin.isInRing) this.#seq = seq;
  }

  isLevelWith(other: JournalCursor<JournalEntry>): boolean {
    if (!(other instanceof MergedCursor) || other.#seq !== this.#seq) return false;
    return other.#position.text === this.#position.text;
  }

  get place(): JournalPlace {
    if (this.#parts.onlyNumbers()) return this.#seq;
    this.#parts.sources.tellComplete(this.#position);
    this.#position.shorten((journal) => this.#parts.sources.isOver(journal));
    return this.#position.text;
  }

  #endOf(journal: string, position: JournalPosition): MergedEntry {
    const gateway = this.#parts.sources.get(journal)?.gateway;
    const number = position.of(journal)?.number ?? 0;
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
