import type { JournalPosition } from '../../../shared/journal-position.ts';

/** The journal of this or another gateway, and how much of the journal this gateway has. */
export interface JournalSource {
  /** The journal's name in the form that a journal position contains. */
  readonly journal: string;
  /** A name of the gateway that people can read. */
  readonly gateway: string;
  /** The number of the last entry that arrived here. */
  taken: number;
  dueAt: number;
  /** The number of the last entry that was put into the merged journal. */
  merged: number;
  /** The number of the latest entry that this gateway has heard of. The journal may have later entries. */
  latest: number;
  /** The number of the journal's last entry, if the gateway has ended. */
  ended?: number;
  /** Whether the gateway died before it sent all its entries. An entry of the merged journal then reports the loss. */
  lost: boolean;
  /** The number of the last round of questions that the gateway answered. */
  answeredIn: number;
  /** The gateway's identifier in the database; absent if the gateway is of an older release. */
  peer?: string;
}

/** A gateway keeps at most this many journals of ended gateways. */
const mostGone = 48;
/** A gateway remembers the names of journals that no gateway has any more. It remembers at most this many names. */
const mostUnknown = 256;

/** The journals whose entries this gateway has. This gateway's own journal is one of them. */
export class JournalSources {
  readonly own: JournalSource;
  readonly #sources = new Map<string, JournalSource>();
  readonly #unknown = new Set<string>();
  /** The number of the present round of questions to the other gateways. */
  #round = 1;

  constructor(journal: string, gateway: string) {
    this.own = this.add(journal, gateway);
  }

  get(journal: string): JournalSource | undefined {
    return this.#sources.get(journal);
  }

  all(): Iterable<JournalSource> {
    return this.#sources.values();
  }

  /**
   * Returns what is known of a journal. If the journal is unknown, adds it, and counts its entries up to `number` as
   * received.
   */
  add(journal: string, gateway: string, number = 0): JournalSource {
    let source = this.#sources.get(journal);
    if (!source) {
      const none = { lost: false, answeredIn: -1, dueAt: 0 };
      source = { journal, gateway, taken: number, merged: number, latest: number, ...none };
      this.#sources.set(journal, source);
      this.#unknown.delete(journal);
    }
    return source;
  }

  /** Notes that the gateway is alive, because it has answered with its own entries. */
  answered(source: JournalSource, said: { peer?: string; latest: number }): void {
    source.answeredIn = this.#round;
    source.peer = said.peer;
    source.latest = Math.max(source.latest, said.latest);
  }

  endRound(): void {
    this.#round++;
  }

  /** Returns the journals of the gateways that answered in the last complete round of questions, or later. */
  answering(): JournalSource[] {
    return [...this.#sources.values()].filter((source) => source !== this.own && !this.isSilent(source));
  }

  isSilent(source: JournalSource): boolean {
    return source !== this.own && source.answeredIn < this.#round - 1;
  }

  /** Returns whether no gateway will send further entries of the journal. */
  isOver(journal: string): boolean {
    const source = this.#sources.get(journal);
    return source ? source.lost || (source.ended !== undefined && this.isSilent(source)) : true;
  }

  /** Returns whether no gateway has the journal any more. */
  isUnknown(journal: string): boolean {
    return this.#unknown.has(journal);
  }

  noteUnknown(journal: string): void {
    this.#unknown.add(journal);
    for (const first of this.#unknown) if (this.#unknown.size > mostUnknown) this.#unknown.delete(first);
  }

  /**
   * If there are too many ended journals, forgets the oldest of them. A client's journal position names every kept
   * journal, and the length of a position is limited.
   */
  forget(): void {
    const over = [...this.#sources.keys()].filter((journal) => this.isOver(journal));
    for (const journal of over.slice(0, Math.max(0, over.length - mostGone))) {
      this.#sources.delete(journal);
      this.noteUnknown(journal);
    }
  }

  /** Notes in a reader's position which journals the reader has read to their end. */
  noteComplete(position: JournalPosition): void {
    for (const { journal, ended, merged } of this.#sources.values())
      if (ended !== undefined && (position.reachedIn(journal)?.number ?? 0) >= ended)
        position.noteLostAfter(journal, merged);
  }

  /** Notes in a reader's position that the reader has read every merged entry. */
  noteAllRead(position: JournalPosition): void {
    for (const { journal, merged, lost } of this.#sources.values())
      if (lost) position.noteLostAfter(journal, merged);
      else position.noteRead(journal, merged);
  }
}
