import type { StoredJournalBody } from './journal-bodies.ts';
import type { ClientDataMasker } from './masking/mask.ts';

/** The parts from which a new entry is made. */
export interface EntryParts {
  readonly kind: string;
  readonly about: { readonly terminal?: string; readonly payment?: string };
  /** The entry's data, or the value from which `draw` makes the data. */
  readonly given: object;
  readonly draw?: (given: never) => object;
  readonly body?: StoredJournalBody;
  /** The moment of the event, in epoch milliseconds; if absent, now. */
  readonly at?: number;
}

/** An entry's number, and the moment of its event. */
interface EntryPlace {
  readonly seq: number;
  readonly at: number;
  readonly realAt: number | undefined;
}

/**
 * An entry of the journal. Most entries are never read, so an entry's data are made and masked only when they are first
 * read (B126). Unmasked data never leave this class. All entries have the same fields. Besides these fields and its
 * data, an entry keeps nothing in memory.
 */
export class LazyJournalEntry {
  readonly seq: number;
  readonly at: number;
  readonly realAt: number | undefined;
  readonly kind: string;
  readonly terminal: string | undefined;
  readonly payment: string | undefined;
  #data: object;
  #draw: ((given: never) => object) | undefined;
  #body: StoredJournalBody | undefined;
  /** Undefined once the data are masked. */
  #mask: ClientDataMasker | undefined;

  constructor({ seq, at, realAt }: EntryPlace, recorded: EntryParts, mask: ClientDataMasker) {
    this.seq = seq;
    this.at = at;
    this.realAt = realAt;
    this.kind = recorded.kind;
    this.terminal = recorded.about.terminal;
    this.payment = recorded.about.payment;
    this.#data = recorded.given;
    this.#draw = recorded.draw;
    this.#body = recorded.body;
    this.#mask = mask;
  }

  get data(): object {
    if (this.#mask === undefined) return this.#data;
    this.#data = this.#drawn(this.#mask);
    this.#mask = undefined;
    this.#draw = undefined;
    return this.#data;
  }

  #drawn(mask: ClientDataMasker): object {
    const data = mask.data(this.#draw ? this.#draw(this.#data as never) : this.#data);
    return this.#body ? withBody(data, this.#body, mask) : data;
  }

  /**
   * Returns only the given fields of the data, and only the given headers. The entry does not keep this result. This
   * function is for a reader that skips nearly all entries (docs/decisions/0024).
   */
  glance(fields: readonly string[], headers: readonly string[]): object {
    const mask = this.#mask;
    if (mask === undefined) return this.#data;
    const data = this.#draw ? this.#draw(this.#data as never) : this.#data;
    const some = pick(data as Record<string, unknown>, fields);
    // An entry of another process may have any value as its headers.
    if (headers.length > 0 && typeof some.headers === 'object' && some.headers !== null)
      some.headers = pick(some.headers as Record<string, unknown>, headers);
    return mask.data(some);
  }

  /**
   * Returns the entry's fields. Does not keep the data that are made for this call, because an entry that is written as
   * JSON is not read again.
   */
  toJSON(): object {
    const { seq, at, realAt, kind, terminal, payment } = this;
    const data = this.#mask ? this.#drawn(this.#mask) : this.#data;
    return { seq, at, realAt, kind, terminal, payment, data };
  }
}

function pick(from: Record<string, unknown>, names: readonly string[]): Record<string, unknown> {
  const some: Record<string, unknown> = {};
  for (const name of names) if (from[name] !== undefined) some[name] = from[name];
  return some;
}

/**
 * Adds the body to the data. The body is parsed and masked every time it is read, because a text costs the garbage
 * collector far less than a parsed body.
 */
function withBody(data: object, body: StoredJournalBody, mask: ClientDataMasker): object {
  return Object.defineProperty(data, 'body', { enumerable: true, get: () => mask.value(body.read()) });
}
