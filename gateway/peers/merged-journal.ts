import { z } from 'zod';
import type { Clock } from '../../shared/clock.ts';
import {
  type Journal,
  type JournalEntry,
  type JournalReader,
  journalLimits,
  readData,
} from '../../shared/journal.ts';
import { JournalRing } from '../../shared/journal-ring.ts';
import type { Runtime } from '../../shared/runtime.ts';
import { Collector, mostInPage, offer, type Page } from './collector.ts';
import type { Hints } from './hints.ts';

const subject = 'journal';
/** What an entry takes beside its data. */
const overhead = 200;
/** An entry's number is its time and so many places in each millisecond, so that every gateway gives it the same one. */
const numbersInMs = 1_000;
/** A gateway whose clock is a little behind is asked so often until it has passed what happened at the others. */
const mostAsked = 20;

/** An entry on its way, its data as JSON text: most are never looked at. */
const sentEntry = z.object({
  seq: z.number(),
  at: z.number(),
  kind: z.string(),
  terminal: z.string().optional(),
  payment: z.string().optional(),
  data: z.string(),
});
type SentEntry = z.infer<typeof sentEntry>;

const about = z.object({
  /** How people call the gateway. */
  gateway: z.string(),
  /** All that happened until then is among its entries, and nothing can be added to it. */
  upTo: z.number(),
});

interface Waiting {
  sent: SentEntry;
  gateway: string;
}

/**
 * The journals of all gateways as one, by time, each entry with its gateway. It is made while somebody reads it: each
 * gateway keeps its own, and nothing is sent for nobody.
 */
export class MergedJournal implements JournalReader {
  readonly #own: Journal;
  readonly #clock: Clock;
  /** How people call this gateway. */
  readonly #name: string;
  readonly #collector: Collector;
  readonly #ring = new JournalRing<JournalEntry>(journalLimits.parse({}));
  readonly #listeners = new Set<(entry: JournalEntry) => void>();
  #seq = 0;
  /** The last entry of this gateway's own journal that is here. */
  #had = 0;
  #waiting: Waiting[] = [];
  /** All that happened until then has come, of the gateways that answered in this round. */
  #upTo = Number.POSITIVE_INFINITY;
  /** The same when the last round was over. */
  #mergedUpTo = 0;

  constructor(runtime: Runtime, { hints, name }: { hints: Hints; name: string }) {
    this.#own = runtime.journal;
    this.#clock = runtime.clock;
    this.#name = name;
    this.#collector = new Collector({
      hints,
      clock: runtime.realClock,
      subject,
      take: (page) => this.#take(page),
      done: () => this.#merge(),
      wanted: () => this.#listeners.size > 0,
    });
    offer(hints, subject, runtime.identifiers.next(), async (after) => {
      await this.#own.complete(); // somebody reads it
      return this.#pageAfter(after);
    });
  }

  async complete(): Promise<void> {
    const begun = this.#clock.now();
    await Promise.all([this.#own.complete(), this.#collector.now()]);
    const until = this.#waiting.reduce((latest, { sent }) => Math.max(latest, sent.at), begun);
    for (let asked = 1; this.#mergedUpTo < until && asked < mostAsked; asked++) await this.#collector.now();
    this.#release(until);
  }

  since(seq = 0): JournalEntry[] {
    return this.#ring.since(seq);
  }

  get latest(): JournalEntry | undefined {
    return this.#ring.latest;
  }

  listen(listener: (entry: JournalEntry) => void): () => void {
    this.#listeners.add(listener);
    void this.#collector.now();
    return () => this.#listeners.delete(listener);
  }

  #pageAfter(after: number): Omit<Page, 'run' | 'after'> {
    const gateway = this.#name;
    const upTo = this.#past();
    const items: SentEntry[] = [];
    let left = mostInPage;
    for (const entry of this.#own.since(after)) {
      const sent = sentOf(entry);
      left -= sent.data.length;
      const last = items.at(-1);
      if (left < 0 && last)
        return { items, last: last.seq, more: true, about: { gateway, upTo: last.at - 1 } };
      items.push(sent);
    }
    return { items, last: items.at(-1)?.seq ?? after, more: false, about: { gateway, upTo } };
  }

  #take(page: Page): void {
    const { data: said } = about.safeParse(page.about);
    if (!said) return;
    for (const item of page.items) {
      const { data: sent } = sentEntry.safeParse(item);
      if (sent) this.#waiting.push({ sent, gateway: said.gateway });
    }
    this.#upTo = Math.min(this.#upTo, said.upTo);
  }

  /** What happened at the same time elsewhere has come: the entries until then have their place. */
  #merge(): void {
    this.#mergedUpTo = Math.min(this.#upTo, this.#past());
    this.#upTo = Number.POSITIVE_INFINITY;
    for (const entry of this.#own.since(this.#had)) {
      this.#had = entry.seq;
      this.#waiting.push({ sent: sentOf(entry), gateway: this.#name });
    }
    this.#release(this.#mergedUpTo);
  }

  /** The last millisecond to which nothing can be added. */
  #past(): number {
    return this.#clock.now() - 1;
  }

  #release(upTo: number): void {
    const due = this.#waiting.filter(({ sent }) => sent.at <= upTo);
    if (due.length === 0) return;
    this.#waiting = this.#waiting.filter(({ sent }) => sent.at > upTo);
    for (const { sent, gateway } of due.sort(inOrder)) {
      this.#seq = Math.max(this.#seq + 1, sent.at * numbersInMs);
      const entry = new MergedEntry(this.#seq, sent, gateway) as JournalEntry;
      this.#ring.push(entry, overhead + sent.data.length);
      for (const listener of this.#listeners) listener(entry);
    }
  }
}

/** By time; of one millisecond each gateway's in their order, one gateway's after the other's. */
function inOrder(one: Waiting, other: Waiting): number {
  if (one.sent.at !== other.sent.at) return one.sent.at - other.sent.at;
  if (one.gateway !== other.gateway) return one.gateway < other.gateway ? -1 : 1;
  return one.sent.seq - other.sent.seq;
}

/** Masked where it happened. */
class MergedEntry {
  readonly seq: number;
  readonly at: number;
  readonly kind: string;
  readonly terminal: string | undefined;
  readonly payment: string | undefined;
  readonly gateway: string;
  #text: string | undefined;
  #data: object = {};

  constructor(seq: number, { at, kind, terminal, payment, data }: SentEntry, gateway: string) {
    this.seq = seq;
    this.at = at;
    this.kind = kind;
    this.terminal = terminal;
    this.payment = payment;
    this.gateway = gateway;
    this.#text = data;
  }

  get data(): object {
    if (this.#text !== undefined) this.#data = readData({ data: this.#text });
    this.#text = undefined;
    return this.#data;
  }

  toJSON(): object {
    const { seq, at, kind, terminal, payment, gateway, data } = this;
    return { seq, at, kind, terminal, payment, gateway, data };
  }
}

function sentOf({ seq, at, kind, terminal, payment, data }: JournalEntry): SentEntry {
  const text = JSON.stringify(data);
  const fitting = text.length <= mostInPage ? text : JSON.stringify({ cut: `${text.length} characters` });
  return { seq, at, kind, terminal, payment, data: fitting };
}
