import type { Screen } from '../../../shared/emulator/screen.ts';
import type { EmulatorServer } from '../../control/emulator-server.ts';
import type { Parks } from '../../http/parked.ts';
import { mostPageChars } from '../collector.ts';

/** A terminal that an emulator at this gateway hosts, in the form in which other gateways learn of it. */
interface Hosted {
  poiId: string;
  /** The emulator that hosts the terminal; undefined once there is none. */
  emulator?: number;
  /** The moment when the emulator began to host the terminal, in the database's time. */
  since?: number;
  screen?: Screen;
}

/** Parks nothing: only a virtual clock has anything to park, and with it there is only one process. */
export const notParked: Parks = { park: () => () => {} };

/**
 * Keeps which terminals the emulators at this gateway host and what the terminals show, in the order of their last
 * changes.
 */
export class HostingLog {
  readonly #emulators: EmulatorServer;
  /** The hosted terminals by poi_id. The one that changed last is at the end. */
  readonly #changes = new Map<string, Hosted & { number: number }>();
  #latest = 0;
  #showing: Promise<unknown> | undefined;

  constructor(emulators: EmulatorServer) {
    this.#emulators = emulators;
  }

  hosting(poiIds: readonly string[], emulator: { number: number; since: number }): void {
    for (const poiId of poiIds) this.#note({ poiId, emulator: emulator.number, since: emulator.since });
  }

  left(poiIds: readonly string[]): void {
    for (const poiId of poiIds) this.#note({ poiId });
  }

  /** Makes the emulators send every screen, from the first call on. */
  show(): Promise<unknown> {
    this.#showing ??= this.#show();
    return this.#showing;
  }

  /** Gives the changes after a number, as many as one message can carry. */
  after(number: number): { items: Hosted[]; last: number; more: boolean } {
    const items: Hosted[] = [];
    let last = number;
    let left = mostPageChars;
    for (const { number: at, ...hosted } of this.#changes.values()) {
      if (at <= number) continue;
      left -= JSON.stringify(hosted).length;
      if (left < 0 && items.length > 0) return { items, last, more: true };
      items.push(hosted);
      last = at;
    }
    return { items, last, more: false };
  }

  async #show(): Promise<void> {
    const shows = (poiId: string, screen: Screen) =>
      this.#note({ ...this.#changes.get(poiId), poiId, screen });
    this.#emulators.watch(shows);
    for (const poiId of this.#emulators.hostedTerminals()) {
      const screen = await this.#emulators.screenOf(poiId, notParked);
      if (screen) shows(poiId, screen);
    }
  }

  #note(hosted: Hosted): void {
    this.#changes.delete(hosted.poiId);
    this.#changes.set(hosted.poiId, { ...hosted, number: ++this.#latest });
  }
}
