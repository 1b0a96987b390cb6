/**
 * Waits until emulators host certain terminals at this gateway. After a restart of the gateway, requests for these
 * terminals wait until the terminals are hosted (B282).
 */
export class ExpectedTerminalWaiter {
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

  /** Call this when an emulator has begun to host further terminals. */
  noteHosted(): void {
    for (const check of this.#waiting) check();
  }
}
