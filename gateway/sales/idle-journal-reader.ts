import type { TimerHandle } from '../../shared/clock.ts';
import type { JournalReader } from '../../shared/journal.ts';
import type { Runtime } from '../../shared/runtime.ts';

/** If nothing has happened for this many real ms, the gateway can read the journal without delaying payments. */
export const idleAfterMs = 200;

/**
 * Reads a journal while nothing else happens, a few entries in each turn of the event loop. So the first request for
 * sales need not wait until the whole journal is read (B362). While the gateway is busy, nothing is read, so that
 * payments are not slowed down.
 */
export class IdleJournalReader {
  readonly #realClock: Runtime['realClock'];
  readonly #journal: Pick<JournalReader, 'latest'>;
  readonly #readSome: () => boolean;
  readonly #stopListening: () => void;
  #timer: TimerHandle | undefined;
  #isOver = false;

  /** @param readSome reads a few entries, and returns whether there are more entries */
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

  /** Stops reading. */
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
      if (this.#last === last) this.#readWhileQuiet(last);
      else this.#wait();
    }, idleAfterMs);
  }

  #readWhileQuiet(last: number): void {
    if (this.#isOver) return;
    if (this.#last !== last) return this.#wait();
    if (this.#readSome()) setImmediate(() => this.#readWhileQuiet(last));
    else this.#timer = undefined;
  }
}
