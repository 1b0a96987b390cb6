import { z } from 'zod';
import type { Clock } from './clock.ts';
import { JournalBodyStore } from './journal-bodies.ts';
import type { JournalCursor, JournalPlace } from './journal-cursor.ts';
import { type EntryParts, LazyJournalEntry } from './journal-entry.ts';
import type { JournalDataByKind } from './journal-kinds.ts';
import { JournalRing, mergeBySeq } from './journal-ring.ts';
import { fitBody, fitEntryData, type ReadableBodyText } from './journal-size.ts';
import { JournalTextCache } from './journal-texts.ts';
import { ClientDataMasker } from './masking/mask.ts';

export type { InjectedFault, JournalDataByKind } from './journal-kinds.ts';
export type JournalKind = keyof JournalDataByKind;

interface EntryOf<K extends JournalKind> {
  /** The entry's number, counted from 1 in each process. */
  readonly seq: number;
  /** The clock's time, in epoch milliseconds. */
  readonly at: number;
  /** The real time, in epoch milliseconds, if the clock is virtual. A point of sale may act in real time (B250). */
  readonly realAt?: number;
  readonly kind: K;
  /** The poi_id of the terminal that the entry concerns. */
  readonly terminal?: string;
  /** The transaction identifier of the payment or debit that the entry concerns. */
  readonly payment?: string;
  /** The gateway at which the event happened, if there are several gateways. */
  readonly gateway?: string;
  readonly data: JournalDataByKind[K];
}

/** One event; its kind determines its data. */
export type JournalEntry<K extends JournalKind = JournalKind> = { [Kind in K]: EntryOf<Kind> }[K];

export interface EntrySubject {
  terminal?: string;
  payment?: string;
  /**
   * Whether a client without a valid token caused the entry. Such entries are stored apart from the rest, without a
   * body (B125).
   */
  unauthenticated?: boolean;
}

const nothing: EntrySubject = {};

/**
 * The number of bytes that are counted for an entry whose data are made only when they are read. Measuring the value
 * from which the data are made would cost more than making the entry.
 */
const drawnBytes = 1_500;

/** The fields of an entry of another process, without the entry's data. */
type AdoptedEntry = Pick<JournalEntry, 'at' | 'kind' | 'terminal' | 'payment'>;

/**
 * Asks another process for the entries that it kept back, and adds these entries to this journal. From then on, the
 * other process keeps no entries back. Resolves when the entries are in this journal.
 */
type Keeper = () => Promise<unknown>;

/** The functions of a journal that its readers use. The journal can be that of one process or of several. */
export interface JournalReader
  extends Pick<Journal, 'since' | 'latest' | 'listen' | 'from' | 'droppedUpTo' | 'texts'> {
  /** Call this before reading. Fetches entries from other processes, at least the entries after `place`. */
  complete(place?: JournalPlace): Promise<void>;
  /** Call this before the process ends, so that the other gateways fetch the entries that they lack. */
  leave?(): Promise<void>;
}

/** An entry that still has to be made. */
export type UnwrittenEntry = {
  [Kind in JournalKind]: { kind: Kind; data: JournalDataByKind[Kind]; about: EntrySubject };
}[JournalKind];

/** How much a journal keeps (B125). */
export const journalLimitsSchema = z.strictObject({
  entries: z.int().positive().default(10_000),
  bytes: z.int().positive().default(64_000_000),
  unauthenticatedEntries: z.int().positive().default(1_000),
});
export type JournalLimits = z.infer<typeof journalLimitsSchema>;

/**
 * Keeps the latest events in order, in memory, up to a maximum number of entries and of bytes. Log lines, the live
 * stream, scenario expectations and traces all read this journal. Unauthenticated requests have a ring of their own, so
 * that a flood of them displaces no other entries. Secrets in texts of clients are masked here for all readers, when an
 * entry is first read (B126).
 */
export class Journal {
  #clock: Clock;
  #realClock: Clock | undefined;
  #ring: JournalRing<JournalEntry>;
  #unauthenticated: JournalRing<JournalEntry>;
  #seq = 0;
  #bodies = new JournalBodyStore();
  #mask = new ClientDataMasker();
  #listeners = new Set<(entry: JournalEntry) => void>();
  readonly texts = new JournalTextCache();
  #keepers = new Set<Keeper>();
  /**
   * Resolves when the entries that other processes kept back are in this journal; undefined until the first reader
   * comes.
   */
  #completed: Promise<unknown> | undefined;

  /** @param realClock if `clock` is virtual, the clock that gives the real time of this process's entries */
  constructor(clock: Clock, limits: Partial<JournalLimits> = {}, realClock?: Clock) {
    const { entries, bytes, unauthenticatedEntries } = journalLimitsSchema.parse(limits);
    this.#clock = clock;
    this.#realClock = clock.virtual ? realClock : undefined;
    this.#ring = new JournalRing({ entries, bytes });
    this.#unauthenticated = new JournalRing({ entries: unauthenticatedEntries, bytes });
  }

  /**
   * Makes the journal take the times of later entries from another clock. Several gateways use the clock of their
   * database.
   */
  goBy(clock: Clock): void {
    this.#clock = clock;
  }

  /**
   * Adds an entry. The caller must not change `data` afterwards. A body that is given as text is parsed only when it is
   * read, which is rare. Until then the text costs the garbage collector far less than a parsed body.
   */
  add<K extends JournalKind>(
    kind: K,
    data: JournalDataByKind[K],
    about: EntrySubject = nothing,
    body?: ReadableBodyText,
  ): void {
    const { given, bytes } = fitEntryData(data);
    if (about.unauthenticated) {
      const { body: _unkept, ...kept } = given as JournalDataByKind[K] & { body?: unknown };
      return this.#append(this.#unauthenticated, { kind, about, given: kept }, bytes);
    }
    if (!body) return this.#append(this.#ring, { kind, about, given }, bytes);
    const fitting = fitBody(body);
    const kept = this.#bodies.keep(fitting.text, fitting.read);
    this.#append(this.#ring, { kind, about, given, body: kept }, bytes + fitting.bytes);
  }

  /**
   * Adds an entry whose data are costly to make. When the data are first read, `draw` makes them from `given`. `given`
   * must not be larger than a screen. Otherwise this is like {@link add}.
   */
  addDrawn<K extends JournalKind, Given extends object>(
    kind: K,
    given: Given,
    draw: (given: Given) => JournalDataByKind[K],
    about: EntrySubject = nothing,
  ): void {
    this.#append(this.#ring, { kind, about, given, draw }, drawnBytes);
  }

  /**
   * Adds an entry of another process, with the next number of this journal. `read` parses the entry's data from JSON
   * text.
   */
  adopt({ at, kind, terminal, payment }: AdoptedEntry, data: string, read = parseEntryData): void {
    const about = { terminal, payment: payment === undefined ? undefined : this.#mask.text(payment) };
    const asText = fitEntryData({ data });
    if (asText.given.data === data)
      return this.#append(this.#ring, { at, kind, about, given: { data }, draw: read }, asText.bytes);
    const { given, bytes } = fitEntryData(read({ data }));
    this.#append(this.#ring, { at, kind, about, given }, bytes);
  }

  /**
   * Call this before reading or listening. Other processes may have kept entries back: the first call adds these
   * entries at the end of the journal. From then on, these processes keep nothing back.
   */
  async complete(): Promise<void> {
    const keepers = [...this.#keepers];
    this.#keepers.clear();
    this.#completed = Promise.all([this.#completed, ...keepers.map((give) => give())]);
    await this.#completed;
  }

  /**
   * Registers `keeper`, which will add the entries that another process keeps back. Returns a function that removes
   * `keeper`. Returns undefined if the journal has already been read: from then on, no process is allowed to keep
   * entries back.
   */
  keptBackBy(keeper: Keeper): (() => void) | undefined {
    if (this.#completed) return undefined;
    this.#keepers.add(keeper);
    return () => this.#keepers.delete(keeper);
  }

  /** Returns the kept entries after `seq`, oldest first. */
  since(seq = 0): JournalEntry[] {
    return mergeBySeq(this.#ring.since(seq), this.#unauthenticated.since(seq));
  }

  /** The entry that was added last. */
  get latest(): JournalEntry | undefined {
    const [one, other] = [this.#ring.latest, this.#unauthenticated.latest];
    return (one?.seq ?? 0) > (other?.seq ?? 0) ? one : other;
  }

  /** The number of the last entry that was dropped. Entries about unauthenticated clients do not count. */
  get droppedUpTo(): number {
    return this.#ring.droppedUpTo;
  }

  /**
   * Returns a cursor after the given place, or at the end if no place is given. Returns undefined if the place is a
   * position in the journals of several gateways.
   */
  from(place?: JournalPlace): JournalCursor<JournalEntry> | undefined {
    if (typeof place === 'string') return undefined;
    const end = this.latest?.seq ?? 0;
    let passed = Math.min(place ?? end, end);
    return {
      ahead: () => this.since(passed),
      pass: ({ seq }) => {
        passed = seq;
      },
      isLevelWith: ({ place }) => place === passed,
      get place() {
        return passed;
      },
    };
  }

  /** Calls `listener` with every new entry. Returns a function that removes `listener`. */
  listen(listener: (entry: JournalEntry) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  #append(ring: JournalRing<JournalEntry>, recorded: EntryParts, bytes: number): void {
    // If another process made the entry, the real time of the entry is not known here.
    const realAt = recorded.at === undefined ? this.#realClock?.now() : undefined;
    const place = { seq: ++this.#seq, at: recorded.at ?? this.#clock.now(), realAt };
    // Kind and data match, because `add` takes them together.
    const entry = new LazyJournalEntry(place, recorded, this.#mask) as JournalEntry;
    ring.push(entry, bytes);
    for (const listener of this.#listeners) listener(entry);
  }
}

/** Parses the data of another process's entry from JSON. Returns an empty object if the data are not an object. */
export function parseEntryData({ data }: { data: string }): never {
  const empty = {} as never;
  try {
    const read: unknown = JSON.parse(data);
    return typeof read === 'object' && read !== null ? (read as never) : empty;
  } catch {
    return empty;
  }
}
