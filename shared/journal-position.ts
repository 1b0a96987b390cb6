import { createHash } from 'node:crypto';

/** How far the journal of one gateway's process was read. */
interface Reached {
  number: number;
  /** The reader knows that what came behind it is lost. */
  told: boolean;
}

/** So many journals a position has at most; of more, those that are over go first. */
const mostJournals = 64;
/** A position is no longer than that, so it fits a header and a query. */
export const longestPosition = 4_000;
export const positionPattern = /^1(~[\w-]{8}\.\d{1,15}l?){1,200}$/;
const part = /~([\w-]{8})\.(\d+)(l?)/g;

/** The journal of a gateway's process as positions call it, by what the process calls its run. */
export function journalOf(run: string): string {
  return createHash('sha256').update(run).digest('base64url').slice(0, 8);
}

/**
 * How far a reader has read the journal of each gateway's process. Each counts its own entries from 1, so every gateway
 * gives exactly what is behind a position, in whichever order it has merged them.
 */
export class JournalPosition {
  readonly #reached: Map<string, Reached>;

  constructor(reached: Iterable<readonly [journal: string, reached: Reached]> = []) {
    this.#reached = new Map(reached);
  }

  /** Undefined for a text that is none. */
  static read(text: string): JournalPosition | undefined {
    if (text.length > longestPosition || !positionPattern.test(text)) return undefined;
    const parts = text.matchAll(part);
    return new JournalPosition(
      Array.from(parts, ([, journal = '', number, told]) => [
        journal,
        { number: Number(number), told: told !== '' },
      ]),
    );
  }

  get text(): string {
    let text = '1';
    for (const [journal, { number, told }] of this.#reached)
      text += `~${journal}.${number}${told ? 'l' : ''}`;
    return text;
  }

  get journals(): string[] {
    return [...this.#reached.keys()];
  }

  of(journal: string): Readonly<Reached> | undefined {
    return this.#reached.get(journal);
  }

  copy(): JournalPosition {
    return new JournalPosition(this.#reached);
  }

  pass(journal: string, number: number): void {
    this.#reached.set(journal, { number, told: false });
  }

  /** The reader learns that nothing comes behind `number`, or behind where it is if that is later. */
  tell(journal: string, number: number): void {
    const reached = Math.max(number, this.#reached.get(journal)?.number ?? 0);
    this.#reached.set(journal, { number: reached, told: true });
  }

  /** Leaves out the journals that came first of those that are over, until it is short. */
  shorten(isOver: (journal: string) => boolean): void {
    for (const journal of this.#reached.keys()) {
      if (this.#reached.size <= mostJournals) return;
      if (isOver(journal)) this.#reached.delete(journal);
    }
  }
}
