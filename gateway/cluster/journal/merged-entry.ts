import { z } from 'zod';
import { type JournalDataByKind, type JournalEntry, parseEntryData } from '../../../shared/journal.ts';
import { maxPageChars } from '../collector.ts';

/**
 * An entry that one gateway sends to another. Its data remain JSON text until they are read, because the data of most
 * entries are never read.
 */
export const sentEntrySchema = z.object({
  /** The entry's number in the journal of the gateway that made it. */
  seq: z.number(),
  at: z.number(),
  kind: z.string(),
  terminal: z.string().optional(),
  payment: z.string().optional(),
  data: z.string(),
});
export type SentEntry = z.infer<typeof sentEntrySchema>;

export function makeSentEntry({ seq, at, kind, terminal, payment, data }: JournalEntry): SentEntry {
  const text = JSON.stringify(data);
  const fitting = text.length <= maxPageChars ? text : JSON.stringify({ cut: `${text.length} characters` });
  return { seq, at, kind, terminal, payment, data: fitting };
}

/** The gateway that made an entry, and the number that the entry has at that gateway. */
interface Origin {
  /** The journal's name in the form that a journal position contains. */
  journal: string;
  number: number;
  /** A name of the gateway that people can read; undefined if that gateway ended before this one started. */
  gateway: string | undefined;
  /** True if the entry is in the merged journal. Otherwise the entry was made for only one reader. */
  isInRing?: boolean;
  /** Whether the entry reports that all entries of the journal after `number` are lost. */
  isEnd?: boolean;
}

/**
 * An entry of the merged journal. The gateway that made the entry has already masked the secrets in the entry's data.
 */
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
    if (this.#text !== undefined) this.#data = parseEntryData({ data: this.#text });
    this.#text = undefined;
    return this.#data;
  }

  toJSON(): object {
    const { seq, at, kind, terminal, payment, gateway, data } = this;
    return { seq, at, kind, terminal, payment, gateway, data };
  }
}

/** Makes the entry that tells a reader that other entries are missing. */
export function makeLostEntriesNotice(
  place: { seq: number; at: number },
  origin: Origin,
  data: JournalDataByKind['journal.lost'],
): MergedEntry {
  const sent = { at: place.at, kind: 'journal.lost', data: JSON.stringify(data) };
  return new MergedEntry(place.seq, sent, origin);
}
