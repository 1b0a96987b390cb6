import type { EmulatorFrame } from '../../shared/emulator/frames.ts';
import type { Journal, JournalEntry } from '../../shared/journal.ts';
import type { Runtime } from '../../shared/runtime.ts';

/** The kinds of entries that only this process knows about. So this process must send them to the gateway. */
const forwarded = /^(terminal\.|reader\.|warning$)/;
/** The kinds of entries that the gateway writes to its log even while no client reads the journal. */
const logged = /^(warning|terminal\.(power|cutPlanned|network|latency))$/;
/**
 * A message is sent as soon as its entries have this many characters of data. A message of this size still has room
 * for the largest entry.
 */
const fullBatch = 200_000;

type JournalFrame = Extract<EmulatorFrame, { type: 'journal' }>;
type ForwardedEntry = JournalFrame['entries'][number];

/**
 * Sends this process's journal to the gateway's journal, including the entries that were added while the link was
 * down. All entries of one turn of the event loop are sent together. While no client reads the gateway's journal, the
 * gateway makes this process send only the entries that the gateway logs.
 */
export class JournalForwarder {
  readonly #runtime: { journal: Journal } & Pick<Runtime, 'inFlight'>;
  readonly #send: (frame: JournalFrame) => boolean;
  /** The forwarder has sent all entries that concern the gateway, up to the entry with this seq. */
  #allSentUpTo = 0;
  /**
   * The forwarder has sent all entries that the gateway logs, up to the entry with this seq. This seq is never smaller
   * than `#allSentUpTo`.
   */
  #loggedSentUpTo = 0;
  /** Whether only logged entries are sent, because nothing reads the gateway's journal. */
  #onlyLogged = false;
  /** Whether entries will be sent at the end of this turn of the event loop. */
  #isScheduled = false;
  #stopListening: () => void;

  constructor(
    runtime: { journal: Journal } & Pick<Runtime, 'inFlight'>,
    send: (frame: JournalFrame) => boolean,
  ) {
    this.#runtime = runtime;
    this.#send = send;
    this.#stopListening = runtime.journal.listen((entry) => this.#mustSend(entry) && this.#schedule());
  }

  /** From now on, sends only the entries that the gateway logs, because no client reads the gateway's journal. */
  sendOnlyLogged(): void {
    this.#onlyLogged = true;
  }

  /**
   * Sends the entries that were kept back. From now on, keeps no entries back. Called when a client begins to read the
   * journal, and when the link has been opened.
   */
  sendAll(): void {
    this.#onlyLogged = false;
    this.#sendNew();
  }

  close(): void {
    this.sendAll();
    this.#stopListening();
  }

  #mustSend({ kind, seq }: JournalEntry): boolean {
    if (logged.test(kind)) return seq > this.#loggedSentUpTo;
    return !this.#onlyLogged && forwarded.test(kind);
  }

  #schedule(): void {
    if (this.#isScheduled) return;
    this.#isScheduled = true;
    const sending = this.#runtime.inFlight.begin();
    setImmediate(() => {
      this.#isScheduled = false;
      this.#sendNew();
      sending();
    });
  }

  #sendNew(): void {
    let batch: ForwardedEntry[] = [];
    let length = 0;
    let latest = this.#allSentUpTo;
    for (const entry of this.#runtime.journal.since(this.#allSentUpTo)) {
      latest = entry.seq;
      if (!this.#mustSend(entry)) continue;
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
    this.#loggedSentUpTo = seq;
    if (!this.#onlyLogged) this.#allSentUpTo = seq;
    return true;
  }
}

/** Returns the entry with its data as JSON text. The gateway parses the text only if the entry is read. */
function forwardedEntry({ at, kind, terminal, payment, data }: JournalEntry): ForwardedEntry {
  return { at, kind, terminal, payment, data: JSON.stringify(data) };
}
