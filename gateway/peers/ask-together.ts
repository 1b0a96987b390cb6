/** Asks the database about many at once: those asked about while a question is out go together into the next. */
export class AskTogether<Found> {
  readonly #ask: (keys: readonly string[]) => Promise<(key: string) => Found>;
  readonly #keys = new Set<string>();
  #out: Promise<unknown> | undefined;
  #next: Promise<(key: string) => Found> | undefined;

  constructor(ask: (keys: readonly string[]) => Promise<(key: string) => Found>) {
    this.#ask = ask;
  }

  /** What is found by a question that begins after this call. */
  async about(key: string): Promise<Found> {
    this.#keys.add(key);
    this.#next ??= this.#askNext();
    return (await this.#next)(key);
  }

  async #askNext(): Promise<(key: string) => Found> {
    await this.#out?.catch(() => {}); // whoever asked has it
    const asked = this.#ask([...this.#keys]);
    this.#keys.clear();
    this.#next = undefined;
    this.#out = asked;
    return asked;
  }
}
