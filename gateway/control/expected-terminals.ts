/**
 * Waits until terminals are hosted here. A gateway that restarts needs this while requests for its terminals wait
 * (B282).
 */
export class ExpectedTerminals {
  readonly #waiting = new Set<() => void>();

  /** Resolves when `isHosted` returns true for all of these terminals. */
  untilHosted(poiIds: readonly string[], isHosted: (poiId: string) => boolean): Promise<void> {
    return new Promise((resolve) => {
      const check = () => {
        if (!poiIds.every(isHosted)) return;
        this.#waiting.delete(check);
        resolve();
      };
      this.#waiting.add(check);
      check();
    });
  }

  /** Call this when further terminals are hosted. */
  noteHosted(): void {
    for (const check of this.#waiting) check();
  }
}
