/** The number of entries for which a new ring has room. The ring grows when it is full. */
const firstPlaces = 64;
/** A frequent reader usually gets at most this many entries at a time. */
const few = 16;

/** The latest entries of a journal, oldest first, within a maximum number of entries and of bytes. */
export class JournalRing<Entry extends { readonly seq: number }> {
  #limits: { entries: number; bytes: number };
  #entries: (Entry | undefined)[] = new Array(firstPlaces).fill(undefined);
  #sizes: number[] = new Array(firstPlaces).fill(0);
  /** The index of the oldest kept entry. The ring continues at index 0 after the last index. */
  #first = 0;
  #length = 0;
  #bytes = 0;
  /** The number of the last entry that was dropped; 0 if no entry was dropped. */
  droppedUpTo = 0;

  constructor(limits: { entries: number; bytes: number }) {
    this.#limits = limits;
  }

  /** Keeps the entry, and drops the oldest entries if they no longer fit. */
  push(entry: Entry, bytes: number): void {
    this.#bytes += bytes;
    while (this.#length > 0 && (this.#length >= this.#limits.entries || this.#bytes > this.#limits.bytes))
      this.#drop();
    if (this.#length === this.#entries.length) this.#grow();
    const place = this.#place(this.#length++);
    this.#entries[place] = entry;
    this.#sizes[place] = bytes;
  }

  /** Returns the kept entries after `seq`, oldest first. */
  since(seq: number): Entry[] {
    let [low, high] = [0, this.#length];
    if (high === 0 || this.#at(high - 1).seq <= seq) return [];
    if (high > few && this.#at(high - few).seq <= seq) low = high - few;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.#at(middle).seq <= seq) low = middle + 1;
      else high = middle;
    }
    const entries: Entry[] = [];
    for (let index = low; index < this.#length; index++) entries.push(this.#at(index));
    return entries;
  }

  get latest(): Entry | undefined {
    return this.#length === 0 ? undefined : this.#at(this.#length - 1);
  }

  #place(index: number): number {
    const place = this.#first + index;
    return place < this.#entries.length ? place : place - this.#entries.length;
  }

  #at(index: number): Entry {
    return this.#entries[this.#place(index)] as Entry;
  }

  #drop(): void {
    this.droppedUpTo = this.#entries[this.#first]?.seq ?? this.droppedUpTo;
    this.#bytes -= this.#sizes[this.#first] ?? 0;
    this.#entries[this.#first] = undefined;
    this.#first = this.#place(1);
    this.#length--;
  }

  #grow(): void {
    const inOrder = <T>(list: readonly T[]) => [...list.slice(this.#first), ...list.slice(0, this.#first)];
    const places = Math.min(2 * this.#length, Math.max(this.#limits.entries, firstPlaces));
    const more = places - this.#length;
    this.#entries = inOrder(this.#entries).concat(new Array(more).fill(undefined));
    this.#sizes = inOrder(this.#sizes).concat(new Array(more).fill(0));
    this.#first = 0;
  }
}

/** Merges two lists that are sorted by seq. */
export function mergeBySeq<Entry extends { readonly seq: number }>(one: Entry[], other: Entry[]): Entry[] {
  if (other.length === 0) return one;
  const all: Entry[] = [];
  let at = 0;
  for (const entry of one) {
    for (; (other[at]?.seq ?? Number.POSITIVE_INFINITY) < entry.seq; at++) all.push(other[at] as Entry);
    all.push(entry);
  }
  return [...all, ...other.slice(at)];
}
