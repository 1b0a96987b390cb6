import { z } from 'zod';
import { type JournalEntry, type JournalKinds, readData } from '../../../shared/journal.ts';
import { mostPageChars } from '../collector.ts';

/** An entry on its way between gateways. Its data stay JSON text, because most entries are never looked at. */
export const sentEntry = z.object({
  /** The entry's number in the journal of its own gateway. */
  seq: z.number(),
  at: z.number(),
  kind: z.string(),
  terminal: z.string().optional(),
  payment: z.string().optional(),
  data: z.string(),
});
export type SentEntry = z.infer<typeof sentEntry>;

export function sentOf({ seq, at, kind, terminal, payment, data }: JournalEntry): SentEntry {
  const text = JSON.stringify(data);
  const fitting = text.length <= mostPageChars ? text : JSON.stringify({ cut: `${text.length} characters` });
  return { seq, at, kind, terminal, payment, data: fitting };
}

/** The gateway that an entry comes from, and the entry's place in that gateway's journal. */
interface Origin {
  /** The journal's name in positions. */
  journal: string;
  number: number;
  /** The gateway's name for people; undefined if the gateway was gone before this one began. */
  gateway: string | undefined;
  /** Whether the entry is in the merged journal, and not in one reader's answer only. */
  isInRing?: boolean;
  /** Whether the entry says that the entries after this number are lost. */
  isEnd?: boolean;
}

/** An entry of one gateway among those of all gateways. Its own gateway masked it. */
export class MergedEntry {
  readonly seq: number;
  readonly at: number;
  readonly kind: string;
  readonly terminal: string | undefined;
  readonly payment: string | undefined;
  readonly origin: Origin;
  #text: string | undefined;
  #data: object = {};

  constructor(seq: number, { at, kind, terminal, payment, data }: Omit<SentEntry, 'seq'>, origin: Origin) {
    this.seq = seq;
    this.at = at;
    this.kind = kind;
    this.terminal = terminal;
    this.payment = payment;
    this.origin = origin;
    this.#text = data;
  }

  get gateway(): string | undefined {
    return this.origin.gateway;
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

/** Makes the entry which says that a reader misses some entries. */
export function lostEntry(
  place: { seq: number; at: number },
  origin: Origin,
  data: JournalKinds['journal.lost'],
): MergedEntry {
  const sent = { at: place.at, kind: 'journal.lost', data: JSON.stringify(data) };
  return new MergedEntry(place.seq, sent, origin);
}
