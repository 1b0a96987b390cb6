/**
 * Remembers which commands have come. Another user of the same NATS server cannot read a sealed command, but could send
 * it a second time. Then the key would be pressed twice.
 */
export class HeardOnce {
  /** The time up to which each command is remembered, in the order in which the commands came. */
  readonly #heard = new Map<string, number>();

  /**
   * Returns true if no command with this `id` came before, otherwise false. The id is forgotten after `until`, because
   * no gateway accepts the command after that.
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
