/** A slot has this value in place of the minute if its key never becomes too old. */
const noMinute = 0xffffffff;
const minuteMs = 60_000;
const leastSlots = 1024;
/** The number of keys that are read at once. */
const atOnce = 5_000;

/**
 * A set of keys. If a key is not in the set, the key is certainly new and need not be looked up in the store. If a key
 * is in the set, it has to be looked up. A slot of 12 bytes holds 64 bits of a key, and the minute from which the key's
 * age counts. Keys older than `lifeMs` are forgotten when the set would have to grow.
 *
 * Two keys with the same bits count as one key. So the second key is looked up although that is not needed. If either
 * key is removed, both keys count as new; therefore the store needs a unique constraint on its keys. Before {@link
 * fill} has added all stored keys, no key is certain to be new.
 */
export class KnownKeyFilter {
  readonly #lifeMs: number;
  #slots = 0;
  #count = 0;
  /**
   * The arrays hold unsigned numbers. So a number has to be unsigned too before it is compared with a number from an
   * array. A slot is free if all bits of its key are 0.
   */
  #high = new Uint32Array();
  #low = new Uint32Array();
  #minutes = new Uint32Array();
  /** Whether all stored keys that are not too old have been read. */
  #isWhole = false;
  /** The bits of the key that was hashed last. */
  #keyHigh = 0;
  #keyLow = 0;

  constructor(lifeMs: number) {
    this.#lifeMs = lifeMs;
    this.#allocate(leastSlots);
  }

  get size(): number {
    return this.#count;
  }

  /** The bytes of memory that the set takes. */
  get bytes(): number {
    return this.#slots * 12;
  }

  /**
   * Adds the stored keys. `read` returns the rows that come after the given row, or the first rows if no row is given.
   * `add` adds the keys of one row. The promise resolves when the first rows have been added. Usually there are no
   * further rows. But there can be millions of further rows, so they are read in small parts between other work. If
   * reading fails, no key is certain to be new.
   */
  async fill<Row>(
    read: (after: Row | undefined, limit: number) => Promise<readonly Row[]>,
    add: (row: Row) => void,
  ): Promise<void> {
    const readSome = async (after: Row | undefined) => {
      const rows = await read(after, atOnce);
      for (const row of rows) add(row);
      this.#isWhole = rows.length < atOnce;
      return rows.at(-1);
    };
    const readRest = async (after: Row | undefined) => {
      for (let last = after; !this.#isWhole; last = await readSome(last))
        await new Promise((resolve) => setImmediate(resolve));
    };
    readRest(await readSome(undefined)).catch(() => {});
  }

  /** Whether a key is certain to be new. */
  isNew(key: string): boolean {
    return this.#isWhole && !this.has(key);
  }

  /** Whether the set has this key. */
  has(key: string): boolean {
    return !this.#isFree(this.#find(key));
  }

  /**
   * Adds a key. The age of the key counts from `now`, even if the set already has the key. An `open` key never becomes
   * too old.
   */
  add(key: string, now: number, age: 'counts' | 'open' = 'counts'): void {
    let slot = this.#find(key);
    if (this.#isFree(slot)) {
      if (this.#count * 3 >= this.#slots * 2) {
        this.#makeRoom(now);
        slot = this.#find(key);
      }
      this.#high[slot] = this.#keyHigh;
      this.#low[slot] = this.#keyLow;
      this.#count++;
    }
    this.#minutes[slot] = age === 'open' ? noMinute : Math.max(0, Math.ceil(now / minuteMs));
  }

  /** Removes a key, so that the key counts as new again. */
  remove(key: string): void {
    let free = this.#find(key);
    if (this.#isFree(free)) return;
    this.#count--;
    // A key whose own slot was taken sits in a later slot. Such keys move towards the free slot. Otherwise a search
    // would stop at the free slot and not find the keys.
    for (let slot = this.#next(free); !this.#isFree(slot); slot = this.#next(slot)) {
      const home = this.#home(this.#low[slot] as number);
      const fromHome = (slot - home) & (this.#slots - 1);
      const fromFree = (slot - free) & (this.#slots - 1);
      if (fromHome < fromFree) continue;
      this.#copy(slot, free);
      free = slot;
    }
    this.#high[free] = 0;
    this.#low[free] = 0;
  }

  #find(key: string): number {
    this.#hash(key);
    let slot = this.#home(this.#keyLow);
    while (!this.#isFree(slot) && (this.#low[slot] !== this.#keyLow || this.#high[slot] !== this.#keyHigh))
      slot = this.#next(slot);
    return slot;
  }

  #home(low: number): number {
    return low & (this.#slots - 1);
  }

  #next(slot: number): number {
    return (slot + 1) & (this.#slots - 1);
  }

  #isFree(slot: number): boolean {
    return this.#low[slot] === 0 && this.#high[slot] === 0;
  }

  #copy(from: number, to: number): void {
    this.#high[to] = this.#high[from] as number;
    this.#low[to] = this.#low[from] as number;
    this.#minutes[to] = this.#minutes[from] as number;
  }

  /** Forgets keys that are too old. Afterwards at least as many slots are free as are taken. */
  #makeRoom(now: number): void {
    const [high, low, minutes] = [this.#high, this.#low, this.#minutes];
    const oldest = Math.floor((now - this.#lifeMs) / minuteMs);
    const lives = (slot: number) =>
      (high[slot] !== 0 || low[slot] !== 0) && (minutes[slot] as number) >= oldest;
    let living = 0;
    for (let slot = 0; slot < high.length; slot++) if (lives(slot)) living++;
    let slots = leastSlots;
    while (slots < living * 2) slots *= 2;
    this.#allocate(slots);
    this.#count = living;
    for (let from = 0; from < high.length; from++) {
      if (!lives(from)) continue;
      let to = this.#home(low[from] as number);
      while (!this.#isFree(to)) to = this.#next(to);
      this.#high[to] = high[from] as number;
      this.#low[to] = low[from] as number;
      this.#minutes[to] = minutes[from] as number;
    }
  }

  #allocate(slots: number): void {
    this.#slots = slots;
    this.#high = new Uint32Array(slots);
    this.#low = new Uint32Array(slots);
    this.#minutes = new Uint32Array(slots);
  }

  /**
   * Hashes a key into `#keyHigh` and `#keyLow`. Two multiplying hashes of 32 bits are mixed at the end (cyrb53, all 64
   * bits). `#keyLow` is never zero.
   */
  #hash(key: string): void {
    let one = 0xdeadbeef;
    let other = 0x41c6ce57;
    for (let index = 0; index < key.length; index++) {
      const code = key.charCodeAt(index);
      one = Math.imul(one ^ code, 2654435761);
      other = Math.imul(other ^ code, 1597334677);
    }
    one = Math.imul(one ^ (one >>> 16), 2246822507) ^ Math.imul(other ^ (other >>> 13), 3266489909);
    other = Math.imul(other ^ (other >>> 16), 2246822507) ^ Math.imul(one ^ (one >>> 13), 3266489909);
    this.#keyHigh = other >>> 0;
    this.#keyLow = one >>> 0 || 1;
  }
}
