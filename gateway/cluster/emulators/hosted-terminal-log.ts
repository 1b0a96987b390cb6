import type { Screen } from '../../../shared/emulator/screen.ts';
import type { EmulatorServer } from '../../control/emulator-server.ts';
import type { ParkableCall } from '../../http/parked.ts';
import { maxPageChars } from '../collector.ts';

/** A terminal that an emulator at this gateway hosts, in the form that is sent to other gateways. */
interface Hosted {
  poiId: string;
  /** The number of the hosting emulator; undefined if no emulator hosts the terminal any more. */
  emulator?: number;
  /** The time, on the database's clock, at which the emulator began to host the terminal. */
  since?: number;
  screen?: Screen;
}

/**
 * Does nothing, because only a virtual clock needs to know which calls wait. A gateway that shares its database never
 * has a virtual clock.
 */
export const noWaitTracking: ParkableCall = { park: () => () => {} };

/**
 * Knows which terminals are hosted by emulators at this gateway, and what the screens of these terminals show. Keeps
 * the terminals in the order of their latest changes.
 */
export class HostedTerminalRegistry {
  readonly #emulators: EmulatorServer;
  /** The hosted terminals by poi_id. The terminal that changed last is at the end. */
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

  /** Makes the emulators send all their screens from now on. Only the first call has an effect. */
  show(): Promise<unknown> {
    this.#showing ??= this.#show();
    return this.#showing;
  }

  /**
   * Returns the changes that follow a number. If these changes do not fit into one message, returns only the oldest
   * ones.
   */
  after(number: number): { items: Hosted[]; last: number; more: boolean } {
    const items: Hosted[] = [];
    let last = number;
    let left = maxPageChars;
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
      const screen = await this.#emulators.screenOf(poiId, noWaitTracking);
      if (screen) shows(poiId, screen);
    }
  }

  #note(hosted: Hosted): void {
    this.#changes.delete(hosted.poiId);
    this.#changes.set(hosted.poiId, { ...hosted, number: ++this.#latest });
  }
}
