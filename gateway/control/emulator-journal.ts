import type { EmulatorFrame } from '../../shared/emulator/frames.ts';
import type { Journal, JournalKind } from '../../shared/journal.ts';
import type { EmulatorConnection } from './emulator-connection.ts';
import { makeForwardedDataReader } from './forwarded-journal-data.ts';

type ForwardedEntry = Extract<EmulatorFrame, { type: 'journal' }>['entries'][number];

/**
 * The maximum number of journal entries that an emulator forwards while no client reads the journal. After this number
 * of entries, the emulator keeps further entries to itself, because forwarding takes a seventh of the time of a
 * payment. The gateway adds the kept entries to the journal later, after its own entries.
 */
const mostUnread = 1_000;

/** Adds the journal entries of one emulator to the gateway's journal. */
export class EmulatorJournal {
  readonly #journal: Journal;
  readonly #emulator: EmulatorConnection;
  /** The number of journal entries that the emulator has forwarded. */
  #forwarded = 0;
  /** Makes the emulator forward its journal again; undefined while the emulator forwards it. */
  #stopKeeping: (() => void) | undefined;

  constructor(journal: Journal, emulator: EmulatorConnection) {
    this.#journal = journal;
    this.#emulator = emulator;
  }

  forwarded(entries: readonly ForwardedEntry[]): void {
    for (const entry of entries) this.#add(entry);
    this.#forwarded += entries.length;
    const { hosted, keepsJournal } = this.#emulator;
    const [poiId] = hosted.keys();
    if (keepsJournal && this.#forwarded >= mostUnread && poiId !== undefined) this.#keepBack(poiId);
  }

  /** Call this when the emulator's connection has closed. */
  closed(): void {
    this.#stopKeeping?.();
  }

  /** Adds an entry, unless the entry is about a terminal that this emulator does not host. */
  #add({ data, ...entry }: ForwardedEntry): void {
    if (entry.terminal !== undefined && !this.#emulator.hosted.has(entry.terminal)) return;
    this.#journal.adopt(
      { ...entry, kind: entry.kind as JournalKind },
      data,
      makeForwardedDataReader(entry.kind),
    );
  }

  /** From now on the emulator keeps its journal entries, until the gateway's journal has a reader. */
  #keepBack(poiId: string): void {
    if (this.#stopKeeping) return;
    this.#stopKeeping = this.#journal.keptBackBy(() => this.#emulator.ask(poiId, { do: 'showJournal' }));
    if (this.#stopKeeping) void this.#emulator.ask(poiId, { do: 'keepJournal' });
  }
}
