/**
 * Waits until emulators host certain terminals at this gateway. After a restart of the gateway, requests for these
 * terminals wait for this (B282).
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

  /** Call this when an emulator has begun to host further terminals. */
  came(): void {
    for (const look of this.#waiting) look();
  }
}
