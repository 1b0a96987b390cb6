/** So much is kept, in characters: about what a busy gateway notes between two looks of a console. */
const mostKept = 4_000_000;

/**
 * Entries as JSON. Where several read a journal as it grows, each entry is drawn, masked and written out for the first of
 * them, and the latest texts are kept for the others; one reader alone needs no text twice.
 */
export class JournalTexts {
  readonly #kept = new Map<object, string>();
  #length = 0;
  #readers = 0;

  /** From now on somebody reads what is noted; call the result when no more. */
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
