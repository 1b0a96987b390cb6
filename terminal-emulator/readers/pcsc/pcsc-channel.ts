import { fetchCompleteResponse } from '../emv/complete-response.ts';
import type { ApduChannel, ReaderEntryMode } from '../reader-driver.ts';
import { makePcscCardError } from './pcsc-errors.ts';
import type { PcscReader } from './pcsc-reader.ts';

/** Sends commands to the card through the PC/SC service's connection, and gives the card's answers. */
export class PcscChannel implements ApduChannel {
  readonly atr: Uint8Array;
  readonly contactless: boolean;
  readonly #reader: PcscReader;
  readonly #slot: string;
  readonly #isT0: boolean;
  #answering: Promise<unknown> = Promise.resolve();

  constructor(
    reader: PcscReader,
    card: { slot: string; atr: Uint8Array; entry: ReaderEntryMode; protocol: 'T=0' | 'T=1' },
  ) {
    this.atr = card.atr;
    this.contactless = card.entry === 'Contactless';
    this.#reader = reader;
    this.#slot = card.slot;
    this.#isT0 = card.protocol === 'T=0';
  }

  /** Resolves when the last command was answered, even if its sender has stopped waiting for the answer. */
  get answered(): Promise<unknown> {
    return this.#answering;
  }

  transmit(apdu: Uint8Array, options: { timeoutMs: number; signal: AbortSignal }): Promise<Uint8Array> {
    return fetchCompleteResponse(
      (command) => this.#exchange(this.#isT0 ? withoutLe(command) : command, options),
      apdu,
    );
  }

  async #exchange(
    apdu: Uint8Array,
    { timeoutMs, signal }: { timeoutMs: number; signal: AbortSignal },
  ): Promise<Uint8Array> {
    signal.throwIfAborted();
    const answer = this.#reader.transmit(this.#slot, apdu, timeoutMs);
    this.#answering = answer.catch(() => {});
    try {
      return await awaitUnlessAborted(answer, signal);
    } catch (error) {
      signal.throwIfAborted();
      throw makePcscCardError(error, this.#slot);
    }
  }
}

/**
 * Removes the expected length (Le) from a command with data. With T=0 such a command has no Le, and GET RESPONSE
 * fetches the answer (ISO/IEC 7816-3).
 */
function withoutLe(apdu: Uint8Array): Uint8Array {
  const [, , , , lc = 0] = apdu;
  return apdu.length === 6 + lc && lc > 0 ? apdu.subarray(0, -1) : apdu;
}

/** Waits for a promise, but rejects as soon as `signal` aborts. */
export async function awaitUnlessAborted<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  const aborted = Promise.withResolvers<never>();
  const abort = () => aborted.reject(signal.reason);
  signal.addEventListener('abort', abort, { once: true });
  if (signal.aborted) abort();
  try {
    return await Promise.race([promise, aborted.promise]);
  } finally {
    signal.removeEventListener('abort', abort);
  }
}
