import type { JournalEntry } from '../shared/journal.ts';
import type { JournalPlace } from '../shared/journal-cursor.ts';
import type { ControlledGateway } from './call-control.ts';
import { createEntryNumberer, readJournalSince, readLatestPlace } from './follow-journal.ts';

/**
 * Reads the journal of a gateway, or of several gateways behind a balancer, from the call of `begin` onward. Each call
 * of `read` adds the new entries.
 */
export class IncrementalJournalReader {
  readonly #gateway: ControlledGateway;
  readonly #isWanted: (entry: JournalEntry) => boolean;
  readonly #number = createEntryNumberer();
  readonly #entries: JournalEntry[] = [];
  #place: JournalPlace;
  #reading: Promise<unknown> = Promise.resolve();

  private constructor(
    gateway: ControlledGateway,
    isWanted: (entry: JournalEntry) => boolean,
    place: JournalPlace,
  ) {
    this.#gateway = gateway;
    this.#isWanted = isWanted;
    this.#place = place;
  }

  static async begin(
    gateway: ControlledGateway,
    isWanted: (entry: JournalEntry) => boolean,
  ): Promise<IncrementalJournalReader> {
    return new IncrementalJournalReader(gateway, isWanted, await readLatestPlace(gateway));
  }

  /** Returns all entries so far. */
  read(): Promise<readonly JournalEntry[]> {
    const reading = this.#reading.then(() => this.#readOn());
    // If reading fails, only the call that failed gets the error. The next call reads again.
    this.#reading = reading.catch(() => {});
    return reading;
  }

  async #readOn(): Promise<readonly JournalEntry[]> {
    const { entries, place } = await readJournalSince(this.#gateway, this.#place);
    this.#place = place;
    for (const entry of entries) if (this.#isWanted(entry)) this.#entries.push(this.#number(entry));
    return this.#entries;
  }
}
