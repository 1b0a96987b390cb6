import type { JournalEntry, JournalReader } from '../../shared/journal.ts';
import type { JournalCursor } from '../../shared/journal-cursor.ts';
import type { StreamWriter } from '../http/endpoint.ts';

/** Selects the entries that a watcher wants. */
export interface WatchFilter {
  /** The name of the selection. It is the same for watchers that want the same entries. */
  readonly name: string;
  has(entry: JournalEntry): boolean;
}

/**
 * The approximate length of one piece of text. A longer text is sent in several pieces. A watcher that does not read
 * can be cut off only between two pieces.
 */
const pieceLength = 65_536;

/**
 * Sends journal entries to watchers. At the end of a turn of the event loop, each watcher gets all new entries in one
 * write. If several watchers have read the same entries so far and want the same entries, the text for them is made
 * only once.
 */
export class JournalWatchers {
  readonly #journal: JournalReader;
  #groups: Group[] = [];
  #stopListening: (() => void) | undefined;
  /** Whether there are entries that will be sent at the end of this turn of the event loop. */
  #isFlushPlanned = false;

  constructor(journal: JournalReader) {
    this.#journal = journal;
  }

  /**
   * Sends the entries after the cursor's position, and after that every new entry. The caller must not use the cursor
   * any more. Returns a function that ends the sending.
   */
  watch(cursor: JournalCursor<JournalEntry>, wanted: WatchFilter, output: StreamWriter): () => void {
    const group = this.#groups.find((one) => one.cursor.isLevelWith(cursor)) ?? this.#newGroup(cursor);
    group.add(wanted, output);
    this.#stopListening ??= this.#journal.listen(() => this.#flushSoon());
    return () => this.#leave(output);
  }

  #newGroup(cursor: JournalCursor<JournalEntry>): Group {
    const group = new Group(cursor, this.#journal);
    this.#groups.push(group);
    return group;
  }

  #flushSoon(): void {
    if (this.#isFlushPlanned) return;
    this.#isFlushPlanned = true;
    setImmediate(() => this.#flush());
  }

  #flush(): void {
    if (!this.#isFlushPlanned) return;
    this.#isFlushPlanned = false;
    for (const group of this.#groups) group.send();
    const [first, ...others] = this.#groups;
    const groups = first ? [first] : [];
    for (const group of others) {
      const level = groups.find(({ cursor }) => cursor.isLevelWith(group.cursor));
      if (level) level.join(group);
      else groups.push(group);
    }
    this.#groups = groups;
  }

  /**
   * Removes a watcher. First the watcher gets all entries so far. So it learns, for example, that the gateway stops.
   */
  #leave(output: StreamWriter): void {
    this.#flush();
    for (const group of this.#groups) group.remove(output);
    for (const { isEmpty, end } of this.#groups) if (isEmpty) end();
    this.#groups = this.#groups.filter(({ isEmpty }) => !isEmpty);
    if (this.#groups.length > 0) return;
    this.#stopListening?.();
    this.#stopListening = undefined;
  }
}

interface Audience {
  readonly wanted: WatchFilter;
  readonly outputs: Set<StreamWriter>;
  text: string;
}

/** Watchers that have read the journal up to the same entry. */
class Group {
  readonly cursor: JournalCursor<JournalEntry>;
  readonly #journal: JournalReader;
  readonly #audiences = new Map<string, Audience>();
  readonly end: () => void;

  constructor(cursor: JournalCursor<JournalEntry>, journal: JournalReader) {
    this.cursor = cursor;
    this.#journal = journal;
    this.end = journal.texts.read();
  }

  get isEmpty(): boolean {
    return this.#audiences.size === 0;
  }

  add(wanted: WatchFilter, output: StreamWriter): void {
    const known = this.#audiences.get(wanted.name);
    if (known) known.outputs.add(output);
    else this.#audiences.set(wanted.name, { wanted, outputs: new Set([output]), text: '' });
  }

  remove(output: StreamWriter): void {
    for (const [name, { outputs }] of this.#audiences)
      if (outputs.delete(output) && outputs.size === 0) this.#audiences.delete(name);
  }

  /** Takes over the watchers of another group that has read the journal up to the same entry. */
  join(other: Group): void {
    for (const { wanted, outputs } of other.#audiences.values())
      for (const output of outputs) this.add(wanted, output);
    other.end();
  }

  send(): void {
    const { cursor } = this;
    for (let ahead = cursor.ahead(); ahead.length > 0; ahead = cursor.ahead())
      for (const entry of ahead) {
        cursor.pass(entry);
        this.#write(entry);
      }
    for (const audience of this.#audiences.values()) sendText(audience);
  }

  /** Makes the text of an entry, if any watcher wants the entry. */
  #write(entry: JournalEntry): void {
    let event: string | undefined;
    for (const audience of this.#audiences.values()) {
      if (!audience.wanted.has(entry)) continue;
      event ??= formatStreamedEntry(this.cursor, this.#journal, entry);
      audience.text += event;
      if (audience.text.length >= pieceLength) sendText(audience);
    }
  }
}

/**
 * Makes the text of an entry in the form in which the stream sends the entry. Call this after the cursor has passed the
 * entry.
 */
export function formatStreamedEntry(
  { place }: JournalCursor<JournalEntry>,
  { texts }: JournalReader,
  entry: JournalEntry,
): string {
  return `id: ${place}\ndata: ${texts.of(entry)}\n\n`;
}

function sendText(audience: Audience): void {
  if (audience.text === '') return;
  const bytes = Buffer.from(audience.text);
  audience.text = '';
  for (const { write } of audience.outputs) write(bytes);
}
