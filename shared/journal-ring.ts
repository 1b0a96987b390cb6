/** The latest entries of a journal, oldest first: at most so many, and at most so many bytes. */
export class JournalRing<Entry extends { readonly seq: number }> {
  #limits: { entries: number; bytes: number };
  #entries: (Entry | undefined)[] = [];
  #sizes: number[] = [];
  /** Where the oldest kept entry stands; what was before it is let go of at once and its place now and then. */
  #first = 0;
  #bytes = 0;

  constructor(limits: { entries: number; bytes: number }) {
    this.#limits = limits;
  }

  /** Keeps the entry, and the latest before it that fit beside it. */
  push(entry: Entry, bytes: number): void {
    this.#entries.push(entry);
    this.#sizes.push(bytes);
    this.#bytes += bytes;
    while (this.#length > 1 && (this.#length > this.#limits.entries || this.#bytes > this.#limits.bytes))
      this.#drop();
    if (this.#first > 100 && this.#first > this.#length / 4) this.#compact();
  }

  /** The kept entries after `seq`, oldest first. */
  since(seq: number): Entry[] {
    let [low, high] = [this.#first, this.#entries.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((this.#entries[middle]?.seq ?? 0) <= seq) low = middle + 1;
      else high = middle;
    }
    return this.#entries.slice(low) as Entry[];
  }

  get latest(): Entry | undefined {
    return this.#entries.at(-1);
  }

  get #length(): number {
    return this.#entries.length - this.#first;
  }

  #drop(): void {
    this.#bytes -= this.#sizes[this.#first] ?? 0;
    this.#entries[this.#first++] = undefined;
  }

  #compact(): void {
    this.#entries = this.#entries.slice(this.#first);
    this.#sizes = this.#sizes.slice(this.#first);
    this.#first = 0;
  }
}
