import type { JournalPosition } from '../../../shared/journal-position.ts';

/** The journal of one gateway's process, as far as this gateway has it. */
export interface JournalSource {
  /** The journal's name in positions. */
  readonly journal: string;
  /** The gateway's name for people. */
  readonly gateway: string;
  /**
   * The last entry that came here, and the earliest moment at which it can be merged: never before an earlier entry of
   * the same gateway.
   */
  taken: number;
  dueAt: number;
  /** The last entry that was merged. */
  merged: number;
  /** The last entry that the gateway is known to have made. */
  latest: number;
  /** The number of the last entry, if the gateway has ended. */
  ended?: number;
  /** Whether the gateway died with entries that it had not sent. If so, an entry of the merged journal says that. */
  lost: boolean;
  /** The round in which the gateway answered last. */
  answeredIn: number;
  /** The gateway's identifier in the database; absent if the gateway runs an older release. */
  peer?: string;
}

/** The most journals of gone gateways that are kept. */
const mostGone = 48;
/** The most journals that are remembered although no gateway has them any more. */
const mostUnknown = 256;

/** The journals of which this gateway has entries, its own among them. */
export class JournalSources {
  readonly own: JournalSource;
  readonly #sources = new Map<string, JournalSource>();
  readonly #unknown = new Set<string>();
  /** How many rounds of questions to the other gateways there have been. */
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
   * Gives the source of a journal; a source that is not known is added, without the journal's entries up to `number`.
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

  /** Notes that the gateway is alive, and sends its own entries. */
  answered(source: JournalSource, said: { peer?: string; latest: number }): void {
    source.answeredIn = this.#round;
    source.peer = said.peer;
    source.latest = Math.max(source.latest, said.latest);
  }

  endRound(): void {
    this.#round++;
  }

  /** The journals whose gateways answered in the last complete round, or since then. */
  answering(): JournalSource[] {
    return [...this.#sources.values()].filter((source) => source !== this.own && !this.isSilent(source));
  }

  isSilent(source: JournalSource): boolean {
    return source !== this.own && source.answeredIn < this.#round - 1;
  }

  /** Whether no gateway has further entries of the journal. */
  isOver(journal: string): boolean {
    const source = this.#sources.get(journal);
    return source ? source.lost || (source.ended !== undefined && this.isSilent(source)) : true;
  }

  /** Whether no gateway has the journal any more. */
  isUnknown(journal: string): boolean {
    return this.#unknown.has(journal);
  }

  noteUnknown(journal: string): void {
    this.#unknown.add(journal);
    for (const first of this.#unknown) if (this.#unknown.size > mostUnknown) this.#unknown.delete(first);
  }

  /**
   * Forgets the oldest of the journals that are over, if there are too many. The remaining journals all fit into a
   * position.
   */
  forget(): void {
    const over = [...this.#sources.keys()].filter((journal) => this.isOver(journal));
    for (const journal of over.slice(0, Math.max(0, over.length - mostGone))) {
      this.#sources.delete(journal);
      this.noteUnknown(journal);
    }
  }

  /** Notes in a position that the reader has all entries of a journal. */
  tellComplete(position: JournalPosition): void {
    for (const { journal, ended, merged } of this.#sources.values())
      if (ended !== undefined && (position.of(journal)?.number ?? 0) >= ended) position.tell(journal, merged);
  }

  /** Marks every merged entry as read. */
  passAll(position: JournalPosition): void {
    for (const { journal, merged, lost } of this.#sources.values())
      if (lost) position.tell(journal, merged);
      else position.pass(journal, merged);
  }
}
