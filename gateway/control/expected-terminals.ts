/**
 * Waits until terminals are hosted here. A gateway that restarts needs this while requests for its terminals wait
 * (B282).
 */
export class ExpectedTerminals {
  readonly #waiting = new Set<() => void>();

  /** Resolves when `isHosted` returns true for all of these terminals. */
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

  /** Call this when further terminals are hosted. */
  came(): void {
    for (const look of this.#waiting) look();
  }
}
