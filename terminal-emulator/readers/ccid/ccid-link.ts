import type { Clock, TimerHandle } from '../../../shared/clock.ts';
import { type ByteTransport, CardError, TransportClosedError } from '../reader-driver.ts';
import { makeStallTolerantClock } from '../stall-tolerant-clock.ts';
import type { CcidDecoder, CcidFraming } from './ccid-framing.ts';
import {
  asCcidResponse,
  type CcidCommandType,
  type CcidResponse,
  ccidCommandTypes,
  ccidErrors,
  decodeCcid,
  encodeCcid,
} from './ccid-message.ts';

interface CcidCommandOptions {
  /** How long the reader may take to answer, in ms. */
  readonly timeoutMs: number;
  readonly signal?: AbortSignal;
  readonly parameters?: readonly [number, number, number];
  readonly data?: Uint8Array;
}

interface Pending {
  readonly sequence: number;
  readonly frame: Uint8Array;
  readonly timeoutMs: number;
  readonly giveUpAt: number;
  readonly resolve: (response: CcidResponse) => void;
  readonly reject: (error: unknown) => void;
  timer: TimerHandle;
  repeats: number;
}

/**
 * The maximum number of times that a damaged answer is requested again. If all these answers are damaged, the command
 * fails when its time limit is over.
 */
const mostRepeats = 3;
/** The time limit for the rest of a frame that has begun, in ms. It is enough at 9600 baud. */
const gapMs = 150;
/**
 * The maximum time, in ms, for which the link accepts reports that the reader is still working. After this time, the
 * command fails.
 */
const longestWorkMs = 30_000;

/**
 * Sends commands over one line, one at a time, and gives their answers. The link numbers the commands, requests damaged
 * frames again, waits longer while the reader reports that it still works, and drops echoes and late answers.
 */
export class CcidLink {
  readonly framing: CcidFraming;
  readonly #transport: ByteTransport;
  readonly #clock: Clock;
  readonly #decoder: CcidDecoder;
  #sequence = 0;
  #pending: Pending | undefined;
  #queue: Promise<unknown> = Promise.resolve();
  #gap: TimerHandle | undefined;
  #closed: string | undefined;
  #onCard: (present: boolean) => void = () => {};
  #onClosed: (why: string) => void = () => {};

  constructor(transport: ByteTransport, framing: CcidFraming, clock: Clock) {
    this.#transport = transport;
    this.#clock = makeStallTolerantClock(clock);
    this.framing = framing;
    this.#decoder = framing.createDecoder();
    transport.onData((bytes) => this.#received(bytes));
    transport.onClosed((why) => this.#lineEnded(why));
  }

  /** Sets the listener for cards that are put in or taken out. Not every reader reports such changes. */
  onCard(listener: (present: boolean) => void): void {
    this.#onCard = listener;
  }

  /** Sets the listener for the end of the line. If the line has already ended, the listener is called at once. */
  onClosed(listener: (why: string) => void): void {
    this.#onClosed = listener;
    if (this.#closed !== undefined) listener(this.#closed);
  }

  /**
   * Sends one command and resolves to its answer, even if the answer reports a failure.
   *
   * @throws CardError TIMEOUT if no answer comes; TransportClosedError; the signal's reason
   */
  command(type: CcidCommandType, options: CcidCommandOptions): Promise<CcidResponse> {
    const turn = this.#queue.then(() => this.#exchange(type, options));
    this.#queue = turn.catch(() => {});
    return turn;
  }

  async #exchange(type: CcidCommandType, options: CcidCommandOptions): Promise<CcidResponse> {
    options.signal?.throwIfAborted();
    if (this.#closed !== undefined) throw new TransportClosedError(this.#closed);
    const sequence = this.#sequence;
    this.#sequence = (this.#sequence + 1) & 0xff;
    const { parameters = [0, 0, 0], data = new Uint8Array(), timeoutMs, signal } = options;
    // Escape commands concern the whole reader, so they go to slot 0.
    const slot = type === ccidCommandTypes.escape ? 0 : this.framing.slot;
    const frame = this.framing.wrap(encodeCcid({ type, slot, sequence, parameters, data }));
    const onAbort = () => this.#settle((pending) => pending.reject(signal?.reason));
    try {
      return await new Promise<CcidResponse>((resolve, reject) => {
        const giveUpAt = this.#clock.monotonic() + Math.max(longestWorkMs, timeoutMs);
        const timer = this.#timeout(timeoutMs);
        this.#pending = { sequence, frame, timeoutMs, giveUpAt, resolve, reject, timer, repeats: 0 };
        signal?.addEventListener('abort', onAbort, { once: true });
        this.#write(frame);
      });
    } finally {
      signal?.removeEventListener('abort', onAbort);
    }
  }

  #write(frame: Uint8Array): void {
    this.#transport.write(frame).catch((error) => this.#settle((pending) => pending.reject(error)));
  }

  #timeout(delayMs: number): TimerHandle {
    return this.#clock.setTimeout(() => {
      this.#decoder.reset();
      this.#settle((pending) => pending.reject(new CardError('TIMEOUT', 'the reader does not answer')));
    }, delayMs);
  }

  #settle(conclude: (pending: Pending) => void): void {
    const pending = this.#pending;
    if (!pending) return;
    this.#pending = undefined;
    this.#clock.clearTimeout(pending.timer);
    this.#clock.clearTimeout(this.#gap);
    conclude(pending);
  }

  #received(bytes: Uint8Array): void {
    if (this.#closed !== undefined) return;
    this.#clock.clearTimeout(this.#gap);
    let damaged = false;
    for (const event of this.#decoder.feed(bytes)) {
      if (event.kind === 'card') this.#onCard(event.present);
      else if (event.kind === 'working') this.#giveMoreTime();
      else if (event.kind === 'repeat') this.#resend((pending) => pending.frame);
      else if (event.kind === 'message') this.#receivedMessage(event.bytes);
      else if (event.kind === 'garbage') damaged = true;
    }
    if (damaged || this.#decoder.partial)
      this.#gap = this.#clock.setTimeout(() => this.#frameBrokeOff(), gapMs);
  }

  /** Requests a frame again if only a part of it arrived and the rest does not come. */
  #frameBrokeOff(): void {
    this.#decoder.reset();
    this.#resend(() => this.framing.repeatRequest);
  }

  #resend(frame: (pending: Pending) => Uint8Array): void {
    if (!this.#pending || this.#pending.repeats++ >= mostRepeats) return;
    this.#write(frame(this.#pending));
  }

  #receivedMessage(bytes: Uint8Array): void {
    const message = decodeCcid(bytes);
    const response = message && asCcidResponse(message);
    if (!response || response.sequence !== this.#pending?.sequence) return;
    if (response.outcome === 'extended') return this.#giveMoreTime();
    this.#settle((pending) => pending.resolve(response));
  }

  #giveMoreTime(): void {
    const pending = this.#pending;
    if (!pending) return;
    const leftMs = Math.min(pending.timeoutMs, pending.giveUpAt - this.#clock.monotonic());
    if (leftMs <= 0) return;
    this.#clock.clearTimeout(pending.timer);
    pending.timer = this.#timeout(leftMs);
  }

  #lineEnded(why: string): void {
    this.#closed = why;
    this.#settle((pending) => pending.reject(new TransportClosedError(why)));
    this.#clock.clearTimeout(this.#gap);
    this.#onClosed(why);
  }
}

/**
 * Gives the data of an answer.
 *
 * @throws CardError if the reader reports a failure of the card
 */
export function requireResponseData(response: CcidResponse): Uint8Array {
  if (response.outcome === 'ok') return response.data;
  if (response.card === 'absent') throw new CardError('REMOVED', 'no card is in the reader');
  if (response.error === ccidErrors.iccMute) throw new CardError('BAD_READ', 'the card does not answer');
  throw new CardError('BAD_READ', `the reader failed with ${response.error.toString(16).toUpperCase()}`);
}
