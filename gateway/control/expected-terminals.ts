/** Waits until terminals are hosted here, for a gateway that begins again while requests for them wait (B282). */
export class ExpectedTerminals {
  readonly #waiting = new Set<() => void>();

  /** Resolves once all of these are hosted, as `isHosted` says. */
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

  /** More terminals are hosted than before. */
  came(): void {
    for (const look of this.#waiting) look();
  }
}
