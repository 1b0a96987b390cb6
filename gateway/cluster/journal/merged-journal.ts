import { z } from 'zod';
import type { Clock } from '../../../shared/clock.ts';
import {
  type Journal,
  type JournalEntry,
  type JournalReader,
  journalLimitsSchema,
} from '../../../shared/journal.ts';
import type { JournalCursor, JournalPlace } from '../../../shared/journal-cursor.ts';
import { JournalPosition, journalNameOf } from '../../../shared/journal-position.ts';
import { JournalRing } from '../../../shared/journal-ring.ts';
import { JournalTextCache } from '../../../shared/journal-texts.ts';
import type { Runtime } from '../../../shared/runtime.ts';
import type { Cluster } from '../cluster.ts';
import { answerCollectors, type CollectedPage, CrossGatewayCollector, maxPageChars } from '../collector.ts';
import { GoneJournalRecovery } from './gone-journals.ts';
import { JournalFarewell } from './journal-farewell.ts';
import { type JournalSource, JournalSources } from './journal-sources.ts';
import { gatewayEndedText, MergedCursor } from './merged-cursor.ts';
import {
  MergedEntry,
  makeLostEntriesNotice,
  makeSentEntry,
  type SentEntry,
  sentEntrySchema,
} from './merged-entry.ts';

const subject = 'journal';
/** The memory that an entry takes in addition to its data, counted in characters. */
const overhead = 200;
/**
 * The number of a merged entry is its time in ms multiplied by this value, plus its position within the millisecond. So
 * an entry usually has the same number at each gateway.
 */
const numbersInMs = 1_000;
/**
 * The maximum number of times that one call asks the other gateways. A gateway's clock may be a little behind the other
 * clocks, so the gateway's answers are complete only up to an earlier time. The repeated questions give that clock time
 * to catch up.
 */
const mostAsked = 20;

const about = z.object({
  /** A name of the gateway that people can read. */
  gateway: z.string(),
  /** The gateway has sent all its entries up to this time, so no further entry of this time can follow. */
  upTo: z.number(),
  /**
   * The gateway's identifier in the database, and the number of its last entry. If the gateway's release does not know
   * positions, both are absent.
   */
  peer: z.string().optional(),
  latest: z.number().optional(),
});

interface Waiting {
  sent: SentEntry;
  source: JournalSource;
  dueAt: number;
}

/**
 * Shows the journals of all gateways as one journal, ordered by time. Each entry says which gateway made it. Each
 * gateway keeps its own journal, and sends entries to another gateway only if that gateway has a reader. The entries of
 * one gateway keep their order. So a position can say exactly which entries a reader has read (docs/decisions/0016).
 */
export class MergedJournal implements JournalReader {
  readonly #own: Journal;
  readonly #clock: Clock;
  readonly #gateways: Cluster['gateways'];
  readonly #sources: JournalSources;
  readonly #gone: GoneJournalRecovery;
  readonly #farewell: JournalFarewell;
  readonly #collector: CrossGatewayCollector;
  readonly #ring = new JournalRing<MergedEntry>(journalLimitsSchema.parse({}));
  readonly texts = new JournalTextCache();
  readonly #listeners = new Set<(entry: JournalEntry) => void>();
  #seq = 0;
  #waiting: Waiting[] = [];
  /**
   * The time up to which the answers of this round are complete. Every gateway that answered has sent all its entries
   * up to this time.
   */
  #upTo = Number.POSITIVE_INFINITY;
  /** The value of `#upTo` at the end of the last round of questions. */
  #mergedUpTo = 0;

  constructor(runtime: Runtime, { hints, name, gateways }: Pick<Cluster, 'hints' | 'name' | 'gateways'>) {
    const run = runtime.identifiers.next();
    this.#own = runtime.journal;
    this.#clock = runtime.clock;
    this.#gateways = gateways;
    this.#sources = new JournalSources(journalNameOf(run), name);
    this.#collector = new CrossGatewayCollector({
      hints,
      clock: runtime.realClock,
      subject,
      take: (page) => this.#take(page),
      done: () => this.#merge(),
      wanted: () => this.#listeners.size > 0,
    });
    this.#gone = new GoneJournalRecovery({
      hints,
      gateways,
      sources: this.#sources,
      clock: runtime.realClock,
      entriesOf: (journal, after) => this.#entriesOf(journal, after),
      take: (source, sent) => this.#append(source, sent),
      lost: (source) => this.#lost(source),
    });
    this.#farewell = new JournalFarewell({
      hints,
      gateways,
      sources: this.#sources,
      run,
      fetch: () => this.#collector.now(),
      ended: (gone) => this.#collector.left(gone),
    });
    answerCollectors(hints, subject, run, async (after) => {
      this.#farewell.noteRead();
      // Another gateway asks only while it has a reader, and that reader also reads this journal.
      await this.#own.complete();
      return this.#pageAfter(after);
    });
  }

  async complete(place?: JournalPlace): Promise<void> {
    this.#farewell.noteRead();
    const begun = this.#clock.now();
    await Promise.all([this.#own.complete(), this.#collector.now()]);
    const until = this.#waiting.reduce((latest, { dueAt }) => Math.max(latest, dueAt), begun);
    for (let asked = 1; this.#mergedUpTo < until && asked < mostAsked; asked++) await this.#collector.now();
    this.#release(until);
    const position = typeof place === 'string' ? JournalPosition.read(place) : undefined;
    await this.#gone.recover(position);
  }

  since(seq = 0): JournalEntry[] {
    return this.#ring.since(seq) as JournalEntry[];
  }

  get latest(): JournalEntry | undefined {
    return this.#ring.latest as JournalEntry | undefined;
  }

  get droppedUpTo(): number {
    return this.#ring.droppedUpTo;
  }

  from(place?: JournalPlace): JournalCursor<JournalEntry> | undefined {
    const [position, seq] =
      typeof place === 'string' ? [JournalPosition.read(place), 0] : [this.#positionAt(place), place];
    if (!position) return undefined;
    const parts = {
      ring: this.#ring,
      sources: this.#sources,
      nextPlace: () => this.#nextPlace(),
      onlyNumbers: () => this.#sources.answering().some(({ peer }) => peer === undefined),
    };
    return new MergedCursor(parts, position, Math.min(seq ?? this.#seq, this.#seq));
  }

  listen(listener: (entry: JournalEntry) => void): () => void {
    this.#listeners.add(listener);
    void this.#collector.now();
    return () => this.#listeners.delete(listener);
  }

  /**
   * Tells the other gateways that this gateway ends. If this gateway's journal has a reader, waits for a limited time
   * until the other gateways with a reader have fetched the entries that they do not have yet. If no other gateway has
   * a reader, all other gateways fetch these entries.
   */
  leave(): Promise<void> {
    return this.#farewell.leave(this.#own.latest?.seq ?? 0);
  }

  /** Returns the position of a reader that has read all entries up to the entry with this number. */
  #positionAt(seq = this.#seq): JournalPosition {
    const position = new JournalPosition();
    this.#sources.noteAllRead(position);
    for (const { origin } of this.#ring.since(seq).reverse())
      position.noteRead(origin.journal, origin.isEnd ? origin.number : origin.number - 1);
    return position;
  }

  #pageAfter(after: number): Omit<CollectedPage, 'run' | 'after'> {
    const about = {
      gateway: this.#sources.own.gateway,
      peer: this.#gateways.id,
      latest: this.#own.latest?.seq ?? 0,
    };
    const upTo = this.#past();
    const items: SentEntry[] = [];
    let left = maxPageChars;
    for (const entry of this.#own.since(after)) {
      const sent = makeSentEntry(entry);
      left -= sent.data.length;
      const last = items.at(-1);
      if (left < 0 && last)
        return { items, last: last.seq, more: true, about: { ...about, upTo: last.at - 1 } };
      items.push(sent);
    }
    return { items, last: items.at(-1)?.seq ?? after, more: false, about: { ...about, upTo } };
  }

  #take(page: CollectedPage): void {
    const { data: said } = about.safeParse(page.about);
    if (!said) return;
    const source = this.#sources.add(journalNameOf(page.run), said.gateway);
    for (const item of page.items) {
      const { data: sent } = sentEntrySchema.safeParse(item);
      if (sent) this.#append(source, sent);
    }
    this.#sources.answered(source, { peer: said.peer, latest: said.latest ?? page.last });
    this.#upTo = Math.min(this.#upTo, said.upTo);
  }

  /** Adds an entry. An entry that several gateways send is added only once. */
  #append(source: JournalSource, sent: SentEntry): void {
    if (sent.seq <= source.taken) return;
    source.taken = sent.seq;
    source.latest = Math.max(source.latest, sent.seq);
    source.dueAt = Math.max(source.dueAt, sent.at);
    source.lost = false;
    this.#waiting.push({ sent, source, dueAt: source.dueAt });
  }

  /**
   * Ends a round of questions. The other gateways have now sent all their entries up to a certain time. So the entries
   * up to this time can be put in order.
   */
  #merge(): void {
    this.#mergedUpTo = Math.min(this.#upTo, this.#past());
    this.#upTo = Number.POSITIVE_INFINITY;
    this.#sources.endRound();
    const { own } = this.#sources;
    for (const entry of this.#own.since(own.taken)) this.#append(own, makeSentEntry(entry));
    this.#release(this.#mergedUpTo);
    if (this.#listeners.size > 0) this.#gone.recoverIfDue();
  }

  /** Returns the last millisecond that is completely over. No further entry can have this millisecond as its time. */
  #past(): number {
    return this.#clock.now() - 1;
  }

  #release(upTo: number): void {
    const due = this.#waiting.filter(({ dueAt }) => dueAt <= upTo);
    if (due.length === 0) return;
    this.#waiting = this.#waiting.filter(({ dueAt }) => dueAt > upTo);
    for (const { sent, source } of due.sort(inOrder)) {
      const seq = Math.max(this.#seq + 1, sent.at * numbersInMs);
      const { journal, gateway } = source;
      source.merged = sent.seq;
      this.#add(
        new MergedEntry(seq, sent, { journal, number: sent.seq, gateway, isInRing: true }),
        sent.data,
      );
    }
  }

  #add(entry: MergedEntry, data: string): void {
    this.#seq = entry.seq;
    this.#ring.push(entry, overhead + data.length);
    for (const listener of this.#listeners) listener(entry as JournalEntry);
  }

  #nextPlace(): { seq: number; at: number } {
    const at = this.#clock.now();
    this.#seq = Math.max(this.#seq + 1, at * numbersInMs);
    return { seq: this.#seq, at };
  }

  /**
   * Notes that no more entries come from a gateway. If some of its entries are missing, adds one entry that reports
   * this.
   */
  #lost(source: JournalSource): void {
    this.#release(Number.POSITIVE_INFINITY);
    const { journal, gateway, merged: number, latest, ended } = source;
    if (ended !== undefined && number >= ended) return;
    source.lost = true;
    const count = ended === undefined ? undefined : ended - number;
    const atLeast = ended === undefined && latest > number ? latest - number : undefined;
    const data = { count, atLeast, why: gatewayEndedText(gateway) };
    this.#add(
      makeLostEntriesNotice(
        this.#nextPlace(),
        { journal, number, gateway, isEnd: true, isInRing: true },
        data,
      ),
      data.why,
    );
  }

  /** Returns the entries of a journal that follow a number. Entries that are not merged yet are included. */
  #entriesOf(journal: string, after: number): SentEntry[] {
    const merged = this.#ring
      .since(0)
      .filter(({ origin }) => origin.journal === journal && !origin.isEnd && origin.number > after)
      .map((entry) => ({ ...makeSentEntry(entry as JournalEntry), seq: entry.origin.number }));
    const waiting = this.#waiting.filter(
      ({ sent, source }) => source.journal === journal && sent.seq > after,
    );
    return [...merged, ...waiting.map(({ sent }) => sent)];
  }
}

/** Compares two entries: first by time, then by gateway, and then by number. */
function inOrder(one: Waiting, other: Waiting): number {
  if (one.dueAt !== other.dueAt) return one.dueAt - other.dueAt;
  const [a, b] = [one.source, other.source];
  if (a.gateway !== b.gateway) return a.gateway < b.gateway ? -1 : 1;
  if (a.journal !== b.journal) return a.journal < b.journal ? -1 : 1;
  return one.sent.seq - other.sent.seq;
}
