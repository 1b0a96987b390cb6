/** Asks the database about many at once: those asked about while a question is out go together into the next. */
export class AskTogether<Found, Key = string> {
  readonly #ask: (keys: readonly Key[]) => Promise<(key: Key) => Found>;
  readonly #keys = new Set<Key>();
  #out: Promise<unknown> | undefined;
  #next: Promise<(key: Key) => Found> | undefined;

  constructor(ask: (keys: readonly Key[]) => Promise<(key: Key) => Found>) {
    this.#ask = ask;
  }

  /** What is found by a question that begins after this call. */
  async about(key: Key): Promise<Found> {
    this.#keys.add(key);
    this.#next ??= this.#askNext();
    return (await this.#next)(key);
  }

  async #askNext(): Promise<(key: Key) => Found> {
    await this.#out?.catch(() => {}); // whoever asked has it
    const asked = this.#ask([...this.#keys]);
    this.#keys.clear();
    this.#next = undefined;
    this.#out = asked;
    return asked;
  }
}
