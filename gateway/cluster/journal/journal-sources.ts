import type { JournalPosition } from '../../../shared/journal-position.ts';

/** The journal of one gateway's process, as far as this gateway has it. */
export interface JournalSource {
  /** As positions call it. */
  readonly journal: string;
  /** How people call the gateway. */
  readonly gateway: string;
  /** The last entry that came here, and when it is due: an entry stands behind what its gateway noted before. */
  taken: number;
  dueAt: number;
  /** The last entry that was merged. */
  merged: number;
  /** The last entry that its gateway is known to have noted. */
  latest: number;
  /** Its gateway has ended, with that many entries. */
  ended?: number;
  /** Its gateway is dead, and what it had not sent is lost: the journal has said so. */
  lost: boolean;
  /** The round in which its gateway answered last. */
  answeredIn: number;
  /** The identifier of its gateway in the database; absent if that gateway runs an older release. */
  peer?: string;
}

/** The most journals of gone gateways that are kept. */
const mostGone = 48;
/** The most journals that are remembered although no gateway knows them any more. */
const mostUnknown = 256;

/** The journals of all gateways that this one has entries of, its own among them. */
export class JournalSources {
  readonly own: JournalSource;
  readonly #sources = new Map<string, JournalSource>();
  readonly #unknown = new Set<string>();
  /** How many rounds of questions to the other gateways there were. */
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

  /** The source of a journal, of which all until `number` may be left out where it is new here. */
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

  /** Its gateway is there, and sends what it has itself. */
  answered(source: JournalSource, said: { peer?: string; latest: number }): void {
    source.answeredIn = this.#round;
    source.peer = said.peer;
    source.latest = Math.max(source.latest, said.latest);
  }

  endRound(): void {
    this.#round++;
  }

  /** Those whose gateways answered in the round that was over last, or since. */
  answering(): JournalSource[] {
    return [...this.#sources.values()].filter((source) => source !== this.own && !this.isSilent(source));
  }

  isSilent(source: JournalSource): boolean {
    return source !== this.own && source.answeredIn < this.#round - 1;
  }

  /** No gateway knows of further entries of the journal. */
  isOver(journal: string): boolean {
    const source = this.#sources.get(journal);
    return source ? source.lost || (source.ended !== undefined && this.isSilent(source)) : true;
  }

  /** No gateway knows the journal any more. */
  isUnknown(journal: string): boolean {
    return this.#unknown.has(journal);
  }

  noteUnknown(journal: string): void {
    this.#unknown.add(journal);
    for (const first of this.#unknown) if (this.#unknown.size > mostUnknown) this.#unknown.delete(first);
  }

  /** Forgets the oldest of the journals that are over if there are too many: fewer stay than a position has. */
  forget(): void {
    const over = [...this.#sources.keys()].filter((journal) => this.isOver(journal));
    for (const journal of over.slice(0, Math.max(0, over.length - mostGone))) {
      this.#sources.delete(journal);
      this.noteUnknown(journal);
    }
  }

  /** A position that has all of a journal says so. */
  tellComplete(position: JournalPosition): void {
    for (const { journal, ended, merged } of this.#sources.values())
      if (ended !== undefined && (position.of(journal)?.number ?? 0) >= ended) position.tell(journal, merged);
  }

  /** Goes behind all that was merged. */
  passAll(position: JournalPosition): void {
    for (const { journal, merged, lost } of this.#sources.values())
      if (lost) position.tell(journal, merged);
      else position.pass(journal, merged);
  }
}
