/**
 * Knows what was heard before. Somebody on the same NATS cannot read a sealed command, but can send it again: without
 * this a key would be pressed twice.
 */
export class HeardOnce {
  /** Until when each can be heard, in the order in which they came. */
  readonly #heard = new Map<string, number>();

  /** False where `id` was heard already. What nobody takes any more after `until` is forgotten then. */
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
