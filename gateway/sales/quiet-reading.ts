import type { TimerHandle } from '../../shared/clock.ts';
import type { JournalReader } from '../../shared/journal.ts';
import type { Runtime } from '../../shared/runtime.ts';

/** If nothing happens for this long, in real time, reading delays no payment. */
export const quietMs = 200;

/**
 * Reads a journal while nothing happens, a few entries in a turn of the event loop, so that the first request for sales need
 * not wait for all of it (B362). Under load nothing is read, and no payment costs more.
 */
export class QuietReading {
  readonly #realClock: Runtime['realClock'];
  readonly #journal: Pick<JournalReader, 'latest'>;
  readonly #readSome: () => boolean;
  readonly #stopListening: () => void;
  #timer: TimerHandle | undefined;
  #isOver = false;

  /** @param readSome reads a few entries and says whether there are more */
  constructor(
    { realClock }: Pick<Runtime, 'realClock'>,
    journal: Pick<JournalReader, 'latest' | 'listen'>,
    readSome: () => boolean,
  ) {
    this.#realClock = realClock;
    this.#journal = journal;
    this.#readSome = readSome;
    this.#stopListening = journal.listen(() => {
      if (this.#timer === undefined) this.#wait();
    });
  }

  /** Reads nothing more. */
  stop(): void {
    this.#isOver = true;
    this.#stopListening();
    this.#realClock.clearTimeout(this.#timer);
  }

  get #last(): number {
    return this.#journal.latest?.seq ?? 0;
  }

  #wait(): void {
    const last = this.#last;
    this.#timer = this.#realClock.setTimeout(() => {
      if (this.#last === last) this.#goOn(last);
      else this.#wait();
    }, quietMs);
  }

  #goOn(last: number): void {
    if (this.#isOver) return;
    if (this.#last !== last) return this.#wait();
    if (this.#readSome()) setImmediate(() => this.#goOn(last));
    else this.#timer = undefined;
  }
}
