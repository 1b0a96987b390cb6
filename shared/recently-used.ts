/**
 * Keeps the values that were used last: at least `most` and at most twice as many. A value can be forgotten after
 * `most` other values have been used since its own last use.
 */
export class RecentlyUsedCache<Value> {
  readonly #most: number;
  #young = new Map<string, Value>();
  #old = new Map<string, Value>();

  constructor(most: number) {
    this.#most = most;
  }

  get(key: string): Value | undefined {
    const young = this.#young.get(key);
    if (young !== undefined) return young;
    const old = this.#old.get(key);
    if (old !== undefined) this.set(key, old);
    return old;
  }

  set(key: string, value: Value): void {
    this.#old.delete(key);
    this.#young.set(key, value);
    if (this.#young.size < this.#most) return;
    this.#old = this.#young;
    this.#young = new Map();
  }

  *keys(): Iterable<string> {
    yield* this.#young.keys();
    yield* this.#old.keys();
  }

  *values(): Iterable<Value> {
    yield* this.#young.values();
    yield* this.#old.values();
  }

  delete(key: string): void {
    this.#young.delete(key);
    this.#old.delete(key);
  }
}
