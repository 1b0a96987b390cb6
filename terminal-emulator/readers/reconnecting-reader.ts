import { delay } from '../../shared/clock.ts';
import type { Runtime } from '../../shared/runtime.ts';
import { errorText } from './error-text.ts';
import type {
  ArmRequest,
  CardRead,
  ReaderDriver,
  ReaderEvent,
  ReaderInfo,
  ReaderLine,
  Unsubscribe,
} from './reader-driver.ts';

/** How to reach a reader, and its driver. */
interface ReaderOptions<Line extends ReaderLine> {
  /** The reader's name for people and the journal, such as `pn532:/dev/ttyUSB0`. */
  readonly name: string;
  /** The poi_id of the reader's terminal, for entries in the journal. */
  readonly terminal?: string;
  /**
   * Opens the line. It is called again after every loss.
   *
   * @throws ReaderOpenError that says what to do
   */
  readonly open: (signal: AbortSignal) => Promise<Line>;
  readonly createDriver: (line: Line) => ReaderDriver;
}

/**
 * The first and the longest wait, in ms, before the line is opened again. Each wait is twice the wait before it, up to
 * the longest. If a line stayed open for at least the longest wait, the waits begin again with the first wait.
 */
const retryMs = { first: 500, longest: 5_000 };

/**
 * Keeps a reader connected, even if a person unplugs the reader and plugs it in again. Opens the line and greets the
 * reader, and does both again after each loss.
 */
export class ReconnectingReader<Line extends ReaderLine> {
  readonly name: string;
  /** The reader that answers now; undefined while no reader answers. */
  info: ReaderInfo | undefined;
  /**
   * Why the last try to reach a reader failed, and what to do. When a reader answers, the text becomes undefined.
   * When another try fails, the text is set again.
   */
  problem: string | undefined;
  #options: ReaderOptions<Line>;
  #runtime: Pick<Runtime, 'clock' | 'journal'>;
  #listeners = new Set<(event: ReaderEvent) => void>();
  #driver: ReaderDriver | undefined;
  /** A promise that resolves when the reader comes or goes. A new promise then replaces the old one. */
  #changed = Promise.withResolvers<void>();
  #closing = new AbortController();
  #running: Promise<void>;
  #armed: Promise<void> = Promise.resolve();

  constructor(options: ReaderOptions<Line>, runtime: Pick<Runtime, 'clock' | 'journal'>) {
    this.name = options.name;
    this.#options = options;
    this.#runtime = runtime;
    this.#running = this.#run();
  }

  /**
   * Calls `listener` with reader.back each time the reader is back, and with reader.lost each time it is lost. While
   * the reader is armed, also calls `listener` with the events of cards.
   */
  listen(listener: (event: ReaderEvent) => void): Unsubscribe {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /**
   * Watches for cards until `request.signal` aborts, even if the reader is lost meanwhile. The promise never rejects.
   */
  arm(request: ArmRequest): Promise<void> {
    // The driver has to release its card before the reader is armed again.
    this.#armed = this.#armed.then(() => this.#arm(request));
    return this.#armed;
  }

  /** Closes the reader for ever. Resolves when the line is closed. */
  async close(): Promise<void> {
    this.#closing.abort();
    await this.#driver?.close();
    await this.#running;
  }

  async #run(): Promise<void> {
    const { signal } = this.#closing;
    const { clock } = this.#runtime;
    let waitMs = retryMs.first;
    while (!signal.aborted) {
      const begunAt = clock.monotonic();
      try {
        await this.#connect(signal);
        if (clock.monotonic() - begunAt >= retryMs.longest) waitMs = retryMs.first;
      } catch (error) {
        this.#noteProblem(error);
      }
      await delay(clock, waitMs, signal).catch(() => {});
      waitMs = Math.min(waitMs * 2, retryMs.longest);
    }
  }

  /** Opens the line, and resolves when it is lost. */
  async #connect(signal: AbortSignal): Promise<void> {
    const line = await this.#options.open(signal);
    const lost = new Promise<string>((resolve) => line.onClosed(resolve));
    const driver = this.#options.createDriver(line);
    try {
      const info = await driver.open(signal);
      this.#came(driver, info);
      this.#went(await lost);
    } finally {
      await driver.close();
    }
  }

  #came(driver: ReaderDriver, info: ReaderInfo): void {
    this.#driver = driver;
    this.info = info;
    this.problem = undefined;
    this.#notify({ type: 'reader.back', info });
    this.#change();
  }

  /**
   * Reports only once that the reader is gone, because both the driver and the line may report the loss. `#connect`
   * closes the line.
   */
  #went(why: string): void {
    if (!this.info) return;
    this.#driver = undefined;
    this.info = undefined;
    if (!this.#closing.signal.aborted) this.#notify({ type: 'reader.lost', why });
    this.#change();
  }

  #change(): void {
    this.#changed.resolve();
    this.#changed = Promise.withResolvers<void>();
  }

  async #arm(request: ArmRequest): Promise<void> {
    const disarmed = aborted(AbortSignal.any([request.signal, this.#closing.signal]));
    while (!request.signal.aborted && !this.#closing.signal.aborted) {
      const changed = this.#changed.promise;
      await this.#driver?.arm(request, (event) => this.#received(event));
      // The reader is lost, or cannot read in the ways that were requested. So the loop waits until a reader comes or
      // the reader is disarmed.
      if (this.#changed.promise === changed) await Promise.race([changed, disarmed]);
    }
  }

  #received(event: ReaderEvent): void {
    if (event.type === 'reader.lost') this.#went(event.why);
    else this.#notify(event);
  }

  /** Reports a problem. If every try meets the same problem, it is reported only once. */
  #noteProblem(error: unknown): void {
    if (this.#closing.signal.aborted) return;
    const problem = errorText(error);
    if (problem === this.problem) return;
    this.problem = problem;
    const { terminal } = this.#options;
    this.#runtime.journal.add('warning', { message: `reader ${this.name}: ${problem}` }, { terminal });
  }

  #notify(event: ReaderEvent): void {
    const { terminal } = this.#options;
    this.#runtime.journal.add(
      'reader.event',
      { reader: this.name, event: describeReaderEvent(event) },
      { terminal },
    );
    for (const listener of this.#listeners) listener(event);
  }
}

/** Describes an event in one line for the journal. The number of a card is masked. */
export function describeReaderEvent(event: ReaderEvent): string {
  switch (event.type) {
    case 'card.read':
      return `card.read ${event.read.entry} ${accountsOf(event.read).join(', ')}`;
    case 'card.error':
      return ['card.error', event.entry, event.code, event.why].filter(Boolean).join(' ');
    case 'card.present':
    case 'card.removed':
      return `${event.type} ${event.entry}`;
    case 'reader.lost':
      return `reader.lost ${event.why}`;
    case 'reader.back':
      return `reader.back ${event.info.description}`;
  }
}

/**
 * Gives the accounts of a card. The account of the card's first application comes first. A chip may have several
 * accounts.
 */
function accountsOf(read: CardRead): string[] {
  const accounts = [read, ...read.applications].map(
    ({ maskedPan, fingerprint }) => `${maskedPan} ${fingerprint}`,
  );
  return [...new Set(accounts)];
}

function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    signal.addEventListener('abort', () => resolve(), { once: true });
  });
}
