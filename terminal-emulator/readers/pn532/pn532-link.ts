import type { Clock, TimerHandle } from '../../../shared/clock.ts';
import { type ByteTransport, TransportClosedError } from '../reader-driver.ts';
import { makeStallTolerantClock } from '../stall-tolerant-clock.ts';
import {
  ackFrame,
  encodeFrame,
  nackFrame,
  type Pn532Frame,
  Pn532FrameParser,
  tfiFromChip,
  tfiFromHost,
  wakeUpBytes,
} from './frame.ts';
import { waitUntilSilent } from './until-silent.ts';

/** Thrown if the chip did not carry out a command. The line may still be fine. */
export class Pn532Error extends Error {
  readonly code: 'NO_ACK' | 'NO_RESPONSE' | 'REFUSED' | 'DAMAGED';
  constructor(code: Pn532Error['code'], message: string) {
    super(message);
    this.code = code;
  }
}

interface CommandOptions {
  /** The time limit from the acknowledgement to the response, in ms. */
  timeoutMs?: number;
  signal?: AbortSignal;
  /**
   * Whether to send the command again if its acknowledgement is missing. It must be false for a command that must not
   * run twice.
   */
  repeatable?: boolean;
  /** Whether to wake the chip right before the command. */
  wake?: boolean;
}

const acknowledgeMs = 100;
const responseMs = 1_000;
/**
 * The maximum number of times that a command is sent, and also the maximum number of damaged responses to a command.
 */
const mostTries = 3;

interface Pending {
  readonly bytes: Uint8Array;
  readonly code: number;
  readonly options: CommandOptions;
  readonly settle: (outcome: Uint8Array | Error) => void;
  acknowledged: boolean;
  tries: number;
  /** The number of times that the chip has answered this command with ACK or NACK. */
  received: number;
  damaged: number;
}

/** Sends one command at a time, and matches it with its acknowledgement and its response. */
export class Pn532Link {
  #transport: ByteTransport;
  #clock: Clock;
  #parser = new Pn532FrameParser();
  #pending: Pending | undefined;
  #timer: TimerHandle | undefined;
  #closedBecause: string | undefined;
  /** Whether the chip may still answer an earlier try of the last command. */
  #lateAnswerMayCome = false;
  /** Whether anything was received. If bytes came but the chip does not answer, another device is at the port. */
  received = false;

  constructor(transport: ByteTransport, clock: Clock) {
    this.#transport = transport;
    this.#clock = makeStallTolerantClock(clock);
    transport.onData((bytes) => this.#received(bytes));
    transport.onClosed((why) => {
      this.#closedBecause = why;
      this.#settle(new TransportClosedError(why));
    });
  }

  /**
   * Sends a command. Resolves to the data that follows the code in the response. If the signal aborts or the time is
   * over, an ACK stops the chip, and a response that comes later is dropped.
   *
   * @throws Pn532Error, TransportClosedError, the signal's reason
   */
  async command(code: number, data: readonly number[] | Uint8Array, options: CommandOptions = {}) {
    if (this.#closedBecause !== undefined) throw new TransportClosedError(this.#closedBecause);
    options.signal?.throwIfAborted();
    if (this.#lateAnswerMayCome) await this.#awaitLateAnswer(options.signal);
    return this.#exchange(code, data, options);
  }

  /**
   * Waits until an answer to an earlier try can no longer come. Answers have no number, so a late answer would be
   * taken for the answer to the next command.
   */
  async #awaitLateAnswer(signal: AbortSignal | undefined): Promise<void> {
    this.#write(ackFrame);
    await waitUntilSilent(this.#transport, this.#clock, {
      silenceMs: acknowledgeMs,
      mostMs: responseMs,
      signal,
    });
    signal?.throwIfAborted();
    this.#lateAnswerMayCome = false;
  }

  #exchange(code: number, data: readonly number[] | Uint8Array, options: CommandOptions) {
    if (this.#pending) throw new Error('a PN532 handles one command at a time');
    return new Promise<Uint8Array>((resolve, reject) => {
      const onAbort = () => this.#abandon(options.signal?.reason);
      options.signal?.addEventListener('abort', onAbort, { once: true });
      const settle = (outcome: Uint8Array | Error) => {
        options.signal?.removeEventListener('abort', onAbort);
        if (outcome instanceof Uint8Array) resolve(outcome);
        else reject(outcome);
      };
      const bytes = encodeFrame(tfiFromHost, Uint8Array.of(code, ...data));
      this.#parser.reset();
      this.#pending = {
        bytes,
        code,
        options,
        settle,
        acknowledged: false,
        tries: 0,
        received: 0,
        damaged: 0,
      };
      this.#transmit(this.#pending);
    });
  }

  #transmit(pending: Pending): void {
    pending.tries++;
    pending.acknowledged = false;
    const bytes = pending.options.wake ? [...wakeUpBytes, ...pending.bytes] : pending.bytes;
    this.#write(Uint8Array.from(bytes));
    this.#wait(acknowledgeMs, () => this.#unacknowledged(pending));
  }

  #unacknowledged(pending: Pending): void {
    const again = pending.options.repeatable !== false && pending.tries < mostTries;
    if (again) this.#transmit(pending);
    else this.#settle(new Pn532Error('NO_ACK', 'the PN532 does not acknowledge'));
  }

  #received(bytes: Uint8Array): void {
    this.received = true;
    for (const frame of this.#parser.feed(bytes)) this.#handle(frame);
  }

  #handle(frame: Pn532Frame): void {
    const pending = this.#pending;
    if (!pending) return;
    if (frame.type === 'ack' || frame.type === 'nack') pending.received++;
    if (frame.type === 'nack') return this.#refused(pending);
    if (frame.type === 'ack') {
      if (pending.acknowledged) return;
      pending.acknowledged = true;
      return this.#wait(pending.options.timeoutMs ?? responseMs, () => this.#unanswered());
    }
    // Frames before the acknowledgement can only be remains of an earlier command.
    if (!pending.acknowledged) return;
    if (frame.type === 'error') return this.#settle(new Pn532Error('REFUSED', 'the PN532 refused a command'));
    if (frame.type === 'damaged') return this.#damaged(pending);
    if (frame.tfi === tfiFromChip && frame.data[0] === ((pending.code + 1) & 0xff))
      this.#settle(frame.data.subarray(1));
  }

  /** Handles a NACK: the chip did not receive the whole command, so sending the command again does not run it twice. */
  #refused(pending: Pending): void {
    if (pending.tries < mostTries) this.#transmit(pending);
    else this.#settle(new Pn532Error('DAMAGED', 'the PN532 receives damaged frames'));
  }

  #damaged(pending: Pending): void {
    pending.damaged++;
    if (pending.damaged < mostTries) this.#write(nackFrame);
    else this.#settle(new Pn532Error('DAMAGED', 'the PN532 sends damaged frames'));
  }

  #unanswered(): void {
    this.#abandon(new Pn532Error('NO_RESPONSE', 'the PN532 does not respond'));
  }

  #abandon(reason: unknown): void {
    if (!this.#pending) return;
    this.#write(ackFrame);
    this.#settle(reason instanceof Error ? reason : new Error(String(reason)));
  }

  #settle(outcome: Uint8Array | Error): void {
    const pending = this.#pending;
    this.#pending = undefined;
    this.#clock.clearTimeout(this.#timer);
    if (!pending) return;
    this.#lateAnswerMayCome = pending.received < pending.tries;
    pending.settle(outcome);
  }

  #wait(ms: number, then: () => void): void {
    this.#clock.clearTimeout(this.#timer);
    this.#timer = this.#clock.setTimeout(then, ms);
  }

  #write(bytes: Uint8Array): void {
    this.#transport
      .write(bytes)
      .catch((error: Error) => this.#settle(new TransportClosedError(error.message)));
  }
}
