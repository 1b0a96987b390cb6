/**
 * Remembers the commands that were heard. Another user of the same NATS cannot read a sealed command, but can send it again,
 * and without this a key would be pressed twice.
 */
export class HeardOnce {
  /** The moment until which each command can be heard, in the order in which they came. */
  readonly #heard = new Map<string, number>();

  /** Gives false if `id` was heard before. An id is forgotten after `until`, when no gateway takes its command any more. */
  isNew(id: string, until: number, now: number): boolean {
    for (const [old, end] of this.#heard) {
      if (end >= now) break;
      this.#heard.delete(old);
    }
    if (this.#heard.has(id)) return false;
    this.#heard.set(id, until);
    return true;
  }
}
