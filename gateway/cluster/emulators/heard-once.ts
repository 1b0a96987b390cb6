/**
 * Remembers the commands that have come. Another user of the same NATS cannot read a sealed command, but can send it
 * again, and then a key would be pressed twice.
 */
export class HeardOnce {
  /** The moment until which each command may come, in the order in which the commands came. */
  readonly #heard = new Map<string, number>();

  /**
   * Whether `id` is new: gives false if it came before. An id is forgotten after `until`, when no gateway accepts its
   * command any more.
   */
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
