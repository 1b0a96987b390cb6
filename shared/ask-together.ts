/**
 * Asks the database about many keys at once: keys that come while a query is under way go together into the next query.
 */
export class KeyQueryBatcher<Found, Key = string> {
  readonly #ask: (keys: readonly Key[]) => Promise<(key: Key) => Found>;
  readonly #keys = new Set<Key>();
  #running: Promise<unknown> | undefined;
  #next: Promise<(key: Key) => Found> | undefined;

  constructor(ask: (keys: readonly Key[]) => Promise<(key: Key) => Found>) {
    this.#ask = ask;
  }

  /** Resolves to the result of a query that begins after this call. */
  async about(key: Key): Promise<Found> {
    this.#keys.add(key);
    this.#next ??= this.#askNext();
    return (await this.#next)(key);
  }

  async #askNext(): Promise<(key: Key) => Found> {
    await this.#running?.catch(() => {}); // if the running query fails, only its callers get the error
    const asked = this.#ask([...this.#keys]);
    this.#keys.clear();
    this.#next = undefined;
    this.#running = asked;
    return asked;
  }
}
