/**
 * Waits until terminals are hosted here, for a gateway that restarts while requests for these terminals wait (B282).
 */
export class ExpectedTerminals {
  readonly #waiting = new Set<() => void>();

  /** Resolves once all of these terminals are hosted, according to `isHosted`. */
  all(poiIds: readonly string[], isHosted: (poiId: string) => boolean): Promise<void> {
    return new Promise((resolve) => {
      const look = () => {
        if (!poiIds.every(isHosted)) return;
        this.#waiting.delete(look);
        resolve();
      };
      this.#waiting.add(look);
      look();
    });
  }

  /** Call this when more terminals are hosted than before. */
  came(): void {
    for (const look of this.#waiting) look();
  }
}
