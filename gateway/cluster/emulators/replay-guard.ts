/**
 * Remembers which commands have arrived. Another user of the same NATS server cannot read an encrypted command, but
 * could send a copy of the command. If the gateway did not remember the command, the copy would be carried out too, and
 * would for example press a key of the terminal a second time.
 */
export class ReplayGuard {
  /** For each command, the time up to which it is remembered. The commands are in the order of their arrival. */
  readonly #heard = new Map<string, number>();

  /**
   * Returns whether this is the first command with this `id`. The guard forgets the id after `until`, because no
   * gateway accepts the command after that time.
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
