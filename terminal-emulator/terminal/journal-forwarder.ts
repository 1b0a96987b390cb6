import type { EmulatorFrame } from '../../shared/emulator/frames.ts';
import type { Journal, JournalEntry } from '../../shared/journal.ts';
import type { Runtime } from '../../shared/runtime.ts';

/** The kinds of entries that the gateway cannot know by itself. */
const forwarded = /^(terminal\.|reader\.|warning$)/;
/** The kinds of entries that the gateway's log shows, even if its journal has no reader. */
const logged = /^(warning|terminal\.(power|cutPlanned|network|latency))$/;
/** The number of characters of data at which a frame is sent. The largest entry still fits into it. */
const fullBatch = 200_000;

type JournalFrame = Extract<EmulatorFrame, { type: 'journal' }>;
type ForwardedEntry = JournalFrame['entries'][number];

/**
 * Sends this process's journal to the gateway's journal, including entries from while the link was down. The entries of
 * one turn of the event loop go together. If the gateway's journal has no reader, the gateway tells this process to
 * keep all entries that the gateway does not log.
 */
export class JournalForwarder {
  readonly #runtime: { journal: Journal } & Pick<Runtime, 'inFlight'>;
  readonly #send: (frame: JournalFrame) => boolean;
  /** The seq of the last entry up to which all were sent, or do not concern the gateway. */
  #sent = 0;
  /** The same for the entries that the gateway logs, which are sent in any case. */
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

  /** Keeps the entries here, because the gateway's journal has no reader. */
  keepBack(): void {
    this.#keeping = true;
  }

  /** Sends the entries that were kept, and keeps none from now on: the journal has a reader, or the link is new. */
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

/** Returns the entry with its data as text. The gateway parses the text when the entry is read. */
function forwardedEntry({ at, kind, terminal, payment, data }: JournalEntry): ForwardedEntry {
  return { at, kind, terminal, payment, data: JSON.stringify(data) };
}
