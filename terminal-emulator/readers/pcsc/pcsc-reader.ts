import { type Off, type ReaderLine, ReaderOpenError } from '../reader-driver.ts';
import type { PcscCard, PcscChange, PcscContext, PcscListed, PcscMonitor, Smartcard } from './smartcard.ts';

/** What is in a reader now: the card's answer to reset, which is empty where the chip gives none. */
export type PcscContent = Uint8Array | undefined;

/** One reader of the machine's PC/SC service, watched until it is unplugged or the service ends. */
export class PcscReader implements ReaderLine {
  readonly name: string;
  readonly smartcard: Smartcard;
  readonly #context: PcscContext;
  readonly #monitor: PcscMonitor;
  readonly #onClosed = new Set<(why: string) => void>();
  readonly #onCard = new Set<(content: PcscContent) => void>();
  #content: PcscContent;
  #closed: string | undefined;

  /**
   * Opens the reader whose name contains `wanted`, in any case; the first one where that is undefined.
   *
   * @throws ReaderOpenError where the service does not run or has no such reader
   */
  static open(smartcard: Smartcard, wanted: string | undefined): PcscReader {
    const context = openContext(smartcard);
    try {
      return new PcscReader(smartcard, context, chosen(listed(context), wanted));
    } catch (error) {
      context.close();
      throw error instanceof ReaderOpenError ? error : notAvailable(error);
    }
  }

  private constructor(smartcard: Smartcard, context: PcscContext, listed: PcscListed) {
    this.name = listed.name;
    this.smartcard = smartcard;
    this.#context = context;
    this.#monitor = new smartcard.ReaderMonitor();
    this.#monitor.start((change) => this.#changed(change));
  }

  /** What is in the reader, and from now on whenever that changes. */
  onCard(listener: (content: PcscContent) => void): Off {
    this.#onCard.add(listener);
    listener(this.#content);
    return () => this.#onCard.delete(listener);
  }

  onClosed(listener: (why: string) => void): Off {
    if (this.#closed !== undefined) listener(this.#closed);
    else this.#onClosed.add(listener);
    return () => this.#onClosed.delete(listener);
  }

  /** Connects to the card, shared: other programs look at cards, too. Rejects with the service's own error. */
  async connect(): Promise<PcscCard> {
    const { SCARD_SHARE_SHARED, SCARD_PROTOCOL_T0, SCARD_PROTOCOL_T1 } = this.smartcard;
    const listed = this.#context.listReaders().find(({ name }) => name === this.name);
    if (!listed) throw new Error('the reader is unplugged');
    return listed.connect(SCARD_SHARE_SHARED, SCARD_PROTOCOL_T0 | SCARD_PROTOCOL_T1);
  }

  async close(): Promise<void> {
    this.#end('closed');
  }

  #changed(change: PcscChange): void {
    if (change.type === 'error') return this.#end(change.reader);
    if (change.reader !== this.name) return this.#otherChanged(change);
    if (change.type === 'reader-detached') return this.#end('unplugged');
    this.#see(contentOf(change, this.smartcard));
  }

  /** A card that comes or goes while the list of readers changes is not reported: it is looked for. */
  #otherChanged({ type }: PcscChange): void {
    if (type !== 'reader-attached' && type !== 'reader-detached') return;
    const now = listed(this.#context).find(({ name }) => name === this.name);
    const content = now && contentOf(now, this.smartcard);
    if ((content === undefined) !== (this.#content === undefined)) this.#see(content);
  }

  #see(content: PcscContent): void {
    this.#content = content;
    for (const listener of this.#onCard) listener(content);
  }

  #end(why: string): void {
    if (this.#closed !== undefined) return;
    this.#closed = why;
    this.#monitor.stop();
    this.#context.close();
    for (const listener of this.#onClosed) listener(why);
    this.#onClosed.clear();
    this.#onCard.clear();
  }
}

/** The service reports that it has no readers as an error. */
export function listed(context: PcscContext): PcscListed[] {
  try {
    return context.listReaders();
  } catch {
    return [];
  }
}

/** @throws ReaderOpenError where the service does not run */
export function openContext({ Context }: Smartcard): PcscContext {
  try {
    return new Context();
  } catch (error) {
    throw notAvailable(error);
  }
}

function notAvailable(error: unknown): ReaderOpenError {
  const why = error instanceof Error ? error.message : String(error);
  const remedy = 'on Linux: apt-get install pcscd; on Windows: start the service "Smart Card"';
  return new ReaderOpenError('NO_PORT', `PC/SC is not available (${why}); ${remedy}`);
}

export function contentOf(
  { state, atr }: Pick<PcscListed, 'state' | 'atr'>,
  { SCARD_STATE_PRESENT }: Smartcard,
): PcscContent {
  return (state & SCARD_STATE_PRESENT) === 0 ? undefined : (atr ?? new Uint8Array());
}

/** Slots for a reader's own security module hold no customer's card: they have to be named. */
function chosen(readers: readonly PcscListed[], wanted: string | undefined): PcscListed {
  const named = readers.filter(({ name }) => name.toLowerCase().includes((wanted ?? '').toLowerCase()));
  const [reader] = [...named.filter(({ name }) => !/\bSAM\b/i.test(name)), ...(wanted ? named : [])];
  if (reader) return reader;
  const names = readers.map(({ name }) => name).join(', ');
  if (wanted === undefined || names === '')
    throw new ReaderOpenError(
      'NO_PORT',
      'no PC/SC reader is connected: plug one in; "pinpad readers" lists them',
    );
  throw new ReaderOpenError('NO_PORT', `no PC/SC reader is named ${wanted}; there are: ${names}`);
}
