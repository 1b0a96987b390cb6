import { createHash } from 'node:crypto';

/** How far the journal of one gateway's process has been read. */
interface Reached {
  number: number;
  /** Whether the reader has been told that the entries after `number` are lost. */
  knowsLoss: boolean;
}

/**
 * The maximum number of journals in a position. If there are more journals, the first to be left out are those of ended
 * processes.
 */
const mostJournals = 64;
/** The maximum number of characters of a position, so that it fits into a header and a query. */
export const maxPositionChars = 4_000;
export const positionPattern = /^1(~[\w-]{8}\.\d{1,15}l?){1,200}$/;
const part = /~([\w-]{8})\.(\d+)(l?)/g;

/**
 * The short name by which a journal position refers to the journal of one gateway process. It is a hash of the name of
 * the process's run.
 */
export function journalNameOf(run: string): string {
  return createHash('sha256').update(run).digest('base64url').slice(0, 8);
}

/**
 * How far a reader has read the journal of each gateway's process. Each process counts its own entries from 1. So every
 * gateway can find the entries after a position, although each gateway may merge the journals in another order.
 */
export class JournalPosition {
  readonly #reached: Map<string, Reached>;

  constructor(reached: Iterable<readonly [journal: string, reached: Reached]> = []) {
    this.#reached = new Map(reached);
  }

  /** Reads a position. Returns undefined if the text is not a position. */
  static read(text: string): JournalPosition | undefined {
    if (text.length > maxPositionChars || !positionPattern.test(text)) return undefined;
    const parts = text.matchAll(part);
    return new JournalPosition(
      Array.from(parts, ([, journal = '', number, loss]) => [
        journal,
        { number: Number(number), knowsLoss: loss !== '' },
      ]),
    );
  }

  get text(): string {
    let text = '1';
    for (const [journal, { number, knowsLoss }] of this.#reached)
      text += `~${journal}.${number}${knowsLoss ? 'l' : ''}`;
    return text;
  }

  get journals(): string[] {
    return [...this.#reached.keys()];
  }

  reachedIn(journal: string): Readonly<Reached> | undefined {
    return this.#reached.get(journal);
  }

  copy(): JournalPosition {
    return new JournalPosition(this.#reached);
  }

  /** Notes that the reader has read the entries up to `number`. */
  noteRead(journal: string, number: number): void {
    this.#reached.set(journal, { number, knowsLoss: false });
  }

  /**
   * Notes that the reader has been told that the entries after `number` are lost. If the reader has already read past
   * `number`, only the entries after the reader's place are lost.
   */
  noteLostAfter(journal: string, number: number): void {
    const reached = Math.max(number, this.#reached.get(journal)?.number ?? 0);
    this.#reached.set(journal, { number: reached, knowsLoss: true });
  }

  /** If the position has too many journals, leaves out the journals of ended processes, oldest first. */
  shorten(isOver: (journal: string) => boolean): void {
    for (const journal of this.#reached.keys()) {
      if (this.#reached.size <= mostJournals) return;
      if (isOver(journal)) this.#reached.delete(journal);
    }
  }
}
