/**
 * The maximum number of characters that are kept. A busy gateway adds roughly this many characters to its journal
 * between two polls of a console.
 */
const mostKept = 4_000_000;

/**
 * Writes entries as JSON. If several readers follow a journal, each entry is made, masked and written once for the
 * first reader, and the latest texts are kept for the other readers. If there is a single reader, no text is kept,
 * because that reader needs no text twice.
 */
export class JournalTextCache {
  readonly #kept = new Map<object, string>();
  #length = 0;
  #readers = 0;

  /** Registers a reader. Call the returned function when the reader stops. */
  read(): () => void {
    this.#readers++;
    return () => {
      if (--this.#readers < 2) this.#forget();
    };
  }

  of(entry: object): string {
    if (this.#readers < 2) return JSON.stringify(entry);
    const known = this.#kept.get(entry);
    if (known !== undefined) return known;
    const text = JSON.stringify(entry);
    this.#kept.set(entry, text);
    this.#length += text.length;
    for (const [oldest, { length }] of this.#kept) {
      if (this.#length <= mostKept) break;
      this.#kept.delete(oldest);
      this.#length -= length;
    }
    return text;
  }

  #forget(): void {
    this.#kept.clear();
    this.#length = 0;
  }
}
