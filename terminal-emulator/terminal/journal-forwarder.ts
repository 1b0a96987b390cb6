import type { Journal, JournalEntry } from '../../shared/journal.ts';

/** What the gateway cannot know by itself. */
const forwarded = /^(terminal\.|reader\.|warning$)/;

/** Sends what happens in this process to the gateway's journal, also what happened while the link was down. */
export class JournalForwarder {
  #journal: Journal;
  #send: (entry: JournalEntry) => boolean;
  #sent = 0;
  #stop: () => void;

  constructor(journal: Journal, send: (entry: JournalEntry) => boolean) {
    this.#journal = journal;
    this.#send = send;
    this.#stop = journal.listen((entry) => this.#forward(entry));
  }

  /** The link stands again. */
  catchUp(): void {
    for (const entry of this.#journal.since(this.#sent)) this.#forward(entry);
  }

  close(): void {
    this.#stop();
  }

  #forward(entry: JournalEntry): void {
    if (!forwarded.test(entry.kind) || this.#send(entry)) this.#sent = entry.seq;
  }
}
