import { z } from 'zod';
import type { Clock } from './clock.ts';
import { JournalBodies } from './journal-bodies.ts';
import type { JournalCursor, JournalPlace } from './journal-cursor.ts';
import { type Recorded, RecordedEntry } from './journal-entry.ts';
import type { JournalKinds } from './journal-kinds.ts';
import { inOrder, JournalRing } from './journal-ring.ts';
import { type BodyText, fittingBody, fittingData } from './journal-size.ts';
import { JournalTexts } from './journal-texts.ts';
import { Mask } from './masking/mask.ts';

export type { InjectedFault, JournalKinds } from './journal-kinds.ts';
export type JournalKind = keyof JournalKinds;

interface EntryOf<K extends JournalKind> {
  /** Counts up from 1 in one process. */
  readonly seq: number;
  /** The clock's time, epoch milliseconds. */
  readonly at: number;
  /** The time on the wall, epoch milliseconds, where the clock is virtual: a point of sale may act in its own time (B250). */
  readonly realAt?: number;
  readonly kind: K;
  /** The terminal it concerns, by poi_id. */
  readonly terminal?: string;
  /** The payment or debit it concerns: its transaction identifier. */
  readonly payment?: string;
  /** Where it happened, where there are several gateways. */
  readonly gateway?: string;
  readonly data: JournalKinds[K];
}

/** One thing that happened; its kind says what its data are. */
export type JournalEntry<K extends JournalKind = JournalKind> = { [Kind in K]: EntryOf<Kind> }[K];

export interface About {
  terminal?: string;
  payment?: string;
  /** An unauthenticated client caused it: it is kept apart, without a body (B125). */
  unauthenticated?: boolean;
}

const nothing: About = {};

/** What an entry counts for that is drawn when it is read: measuring what it is drawn from costs more than the entry. */
const drawnBytes = 1_500;

/** What another process says of an entry beside its data. */
type AdoptedEntry = Pick<JournalEntry, 'at' | 'kind' | 'terminal' | 'payment'>;

/** Gives what it keeps back of a journal, and keeps nothing back from then on; resolves when that is in the journal. */
type Keeper = () => Promise<unknown>;

/** What is read of a journal, whether it is one process's or many's. */
export interface JournalReader
  extends Pick<Journal, 'since' | 'latest' | 'listen' | 'from' | 'droppedUpTo' | 'texts'> {
  /** Before reading: what is elsewhere comes in, above all what is behind `place`. */
  complete(place?: JournalPlace): Promise<void>;
  /** Before this process ends: others take over what they do not have yet. */
  leave?(): Promise<void>;
}

/** An entry that is still to be made. */
export type Note = {
  [Kind in JournalKind]: { kind: Kind; data: JournalKinds[Kind]; about: About };
}[JournalKind];

/** How much a journal keeps (B125). */
export const journalLimits = z.strictObject({
  entries: z.int().positive().default(10_000),
  bytes: z.int().positive().default(64_000_000),
  unauthenticatedEntries: z.int().positive().default(1_000),
});
export type JournalLimits = z.infer<typeof journalLimits>;

/**
 * Everything that happens, in order, in memory: log lines, the live stream, scenario expectations and traces
 * all read from here. The latest entries are kept, up to a number and up to so many bytes. Unauthenticated
 * requests have a ring of their own, so that a flood of them pushes out nothing else. Secrets in clients' text are
 * masked here, for all readers, when they are read (B126).
 */
export class Journal {
  #clock: Clock;
  #realClock: Clock | undefined;
  #ring: JournalRing<JournalEntry>;
  #unauthenticated: JournalRing<JournalEntry>;
  #seq = 0;
  #bodies = new JournalBodies();
  #mask = new Mask();
  #listeners = new Set<(entry: JournalEntry) => void>();
  readonly texts = new JournalTexts();
  #keepers = new Set<Keeper>();
  /** Resolves when what was kept back is here; undefined until somebody reads. */
  #completed: Promise<unknown> | undefined;

  /** @param realClock gives the real moments, where `clock` is virtual */
  constructor(clock: Clock, limits: Partial<JournalLimits> = {}, realClock?: Clock) {
    const { entries, bytes, unauthenticatedEntries } = journalLimits.parse(limits);
    this.#clock = clock;
    this.#realClock = clock.virtual ? realClock : undefined;
    this.#ring = new JournalRing({ entries, bytes });
    this.#unauthenticated = new JournalRing({ entries: unauthenticatedEntries, bytes });
  }

  /** From now on its times are of another clock: several gateways go by that of their database. */
  goBy(clock: Clock): void {
    this.#clock = clock;
  }

  /**
   * Takes over what happened: the caller does not change `data` afterwards. A body that comes as text is parsed
   * when it is read, which is rare: what waits in the journal as text costs the garbage collector a fraction.
   */
  add<K extends JournalKind>(kind: K, data: JournalKinds[K], about: About = nothing, body?: BodyText): void {
    const { given, bytes } = fittingData(data);
    if (about.unauthenticated) {
      const { body: _unkept, ...kept } = given as JournalKinds[K] & { body?: unknown };
      return this.#append(this.#unauthenticated, { kind, about, given: kept }, bytes);
    }
    if (!body) return this.#append(this.#ring, { kind, about, given }, bytes);
    const fitting = fittingBody(body);
    const kept = this.#bodies.keep(fitting.text, fitting.read);
    this.#append(this.#ring, { kind, about, given, body: kept }, bytes + fitting.bytes);
  }

  /**
   * As {@link add}, for what costs something to make: `draw` makes it of `given`, which is no more than a screen holds,
   * when it is first read.
   */
  addDrawn<K extends JournalKind, Given extends object>(
    kind: K,
    given: Given,
    draw: (given: Given) => JournalKinds[K],
    about: About = nothing,
  ): void {
    this.#append(this.#ring, { kind, about, given, draw }, drawnBytes);
  }

  /** Takes over an entry of another process, its data as JSON text that `read` reads, giving it the next number here. */
  adopt({ at, kind, terminal, payment }: AdoptedEntry, data: string, read = readData): void {
    const about = { terminal, payment: payment === undefined ? undefined : this.#mask.text(payment) };
    const asText = fittingData({ data });
    if (asText.given.data === data)
      return this.#append(this.#ring, { at, kind, about, given: { data }, draw: read }, asText.bytes);
    const { given, bytes } = fittingData(read({ data }));
    this.#append(this.#ring, { at, kind, about, given }, bytes);
  }

  /**
   * Before reading or listening: what other processes kept back until somebody does comes in, at the end, and they keep
   * nothing back from now on.
   */
  async complete(): Promise<void> {
    const keepers = [...this.#keepers];
    this.#keepers.clear();
    this.#completed = Promise.all([this.#completed, ...keepers.map((give) => give())]);
    await this.#completed;
  }

  /** Undefined where somebody has read: nothing may be kept back. Otherwise returns how to take `keeper` back. */
  keptBackBy(keeper: Keeper): (() => void) | undefined {
    if (this.#completed) return undefined;
    this.#keepers.add(keeper);
    return () => this.#keepers.delete(keeper);
  }

  /** The kept entries after `seq`, oldest first. */
  since(seq = 0): JournalEntry[] {
    return inOrder(this.#ring.since(seq), this.#unauthenticated.since(seq));
  }

  /** The last thing that happened. */
  get latest(): JournalEntry | undefined {
    const [one, other] = [this.#ring.latest, this.#unauthenticated.latest];
    return (one?.seq ?? 0) > (other?.seq ?? 0) ? one : other;
  }

  /** The last entry that is kept no more, by its number, of those that were no stranger's. */
  get droppedUpTo(): number {
    return this.#ring.droppedUpTo;
  }

  /** Reads from behind a number on, or from the end; undefined for a place that no journal of one process has given. */
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

  /** Calls `listener` with every entry from now on; returns how to stop. */
  listen(listener: (entry: JournalEntry) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  #append(ring: JournalRing<JournalEntry>, recorded: Recorded, bytes: number): void {
    // What comes from elsewhere happened at a real moment that nobody knows here.
    const realAt = recorded.at === undefined ? this.#realClock?.now() : undefined;
    const place = { seq: ++this.#seq, at: recorded.at ?? this.#clock.now(), realAt };
    // Kind and data belong together: `add` takes them so.
    const entry = new RecordedEntry(place, recorded, this.#mask) as JournalEntry;
    ring.push(entry, bytes);
    for (const listener of this.#listeners) listener(entry);
  }
}

/** What another process sent of an entry's data, as JSON; empty where it sent something else. */
export function readData({ data }: { data: string }): never {
  const empty = {} as never;
  try {
    const read: unknown = JSON.parse(data);
    return typeof read === 'object' && read !== null ? (read as never) : empty;
  } catch {
    return empty;
  }
}
