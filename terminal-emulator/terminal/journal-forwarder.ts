import type { EmulatorFrame } from '../../shared/emulator/frames.ts';
import type { Journal, JournalEntry } from '../../shared/journal.ts';
import type { Runtime } from '../../shared/runtime.ts';

/** The entries that the gateway cannot know by itself. */
const forwarded = /^(terminal\.|reader\.|warning$)/;
/** The entries that the gateway's log shows, even if its journal is not read. */
const logged = /^(warning|terminal\.(power|cutPlanned|network|latency))$/;
/** The number of characters of data from which a frame is sent. The largest entry still fits beside them. */
const fullBatch = 200_000;

type JournalFrame = Extract<EmulatorFrame, { type: 'journal' }>;
type ForwardedEntry = JournalFrame['entries'][number];

/**
 * Sends what happens in this process to the gateway's journal, including what happened while the link was down. The
 * entries of one turn of the event loop go together. If the gateway's journal is not read, the gateway asks to keep
 * back all entries that it does not log.
 */
export class JournalForwarder {
  readonly #runtime: { journal: Journal } & Pick<Runtime, 'inFlight'>;
  readonly #send: (frame: JournalFrame) => boolean;
  /** The number up to which every entry was sent or does not concern the gateway. */
  #sent = 0;
  /** The same number for the entries that the gateway logs, which are not kept back. */
  #loggedSent = 0;
  #keeping = false;
  #sending = false;
  #stop: () => void;

  constructor(
    runtime: { journal: Journal } & Pick<Runtime, 'inFlight'>,
    send: (frame: JournalFrame) => boolean,
  ) {
    this.#runtime = runtime;
    this.#send = send;
    this.#stop = runtime.journal.listen((entry) => this.#isDue(entry) && this.#soon());
  }

  /** Keeps the entries here, because the gateway's journal is not read. */
  keepBack(): void {
    this.#keeping = true;
  }

  /** Sends what was kept back, and keeps nothing back from now on: the journal is read, or the link is new. */
  catchUp(): void {
    this.#keeping = false;
    this.#forward();
  }

  close(): void {
    this.catchUp();
    this.#stop();
  }

  #isDue({ kind, seq }: JournalEntry): boolean {
    if (logged.test(kind)) return seq > this.#loggedSent;
    return !this.#keeping && forwarded.test(kind);
  }

  #soon(): void {
    if (this.#sending) return;
    this.#sending = true;
    const sending = this.#runtime.inFlight.begin();
    setImmediate(() => {
      this.#sending = false;
      this.#forward();
      sending();
    });
  }

  #forward(): void {
    let batch: ForwardedEntry[] = [];
    let length = 0;
    let latest = this.#sent;
    for (const entry of this.#runtime.journal.since(this.#sent)) {
      latest = entry.seq;
      if (!this.#isDue(entry)) continue;
      const mine = forwardedEntry(entry);
      batch.push(mine);
      length += mine.data.length;
      if (length < fullBatch) continue;
      if (!this.#sendUpTo(latest, batch)) return;
      batch = [];
      length = 0;
    }
    this.#sendUpTo(latest, batch);
  }

  #sendUpTo(seq: number, entries: ForwardedEntry[]): boolean {
    if (entries.length > 0 && !this.#send({ type: 'journal', entries })) return false;
    this.#loggedSent = seq;
    if (!this.#keeping) this.#sent = seq;
    return true;
  }
}

/** Gives the entry with its data as text. The gateway parses the text when the entry is read. */
function forwardedEntry({ at, kind, terminal, payment, data }: JournalEntry): ForwardedEntry {
  return { at, kind, terminal, payment, data: JSON.stringify(data) };
}
