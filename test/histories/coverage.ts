/** Records which transitions of one table the histories have met. A transition is a pair of a state and an input. */
export class Coverage {
  readonly #pairs = new Set<string>();
  readonly #table: object;

  constructor(table: object) {
    this.#table = table;
  }

  hit(state: string, input: string): void {
    this.#pairs.add(`${state} ${input}`);
  }

  /** Returns the transitions of the table that no history has met. */
  missing(): string[] {
    return Object.entries(this.#table).flatMap(([state, inputs]) =>
      Object.entries(inputs as object)
        .filter(([input, does]) => typeof does === 'function' && !this.#pairs.has(`${state} ${input}`))
        .map(([input]) => `${state} ${input}`),
    );
  }
}
