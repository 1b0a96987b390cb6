import type { Clock, TimerHandle } from '../../../shared/clock.ts';
import { concatBytes } from '../hex.ts';
import {
  type ArmRequest,
  type ByteTransport,
  CardError,
  type ReaderDriver,
  type ReaderEvent,
  type ReaderInfo,
} from '../reader-driver.ts';
import { makeStallTolerantClock } from '../stall-tolerant-clock.ts';
import { parseSwipe } from './parse-swipe.ts';

/**
 * If no byte has come for this many milliseconds, the swipe has ended. Nothing in the data marks the end of a swipe, so
 * only the pause shows it.
 */
const idleGapMs = 100;
/** The maximum number of bytes in a swipe. Three tracks with everything around them have fewer than 300. */
const longestSwipe = 1_024;
/** The message with which a motorised or insertion reader reports a card. */
const cardInserted = /^[\x02\x1b]*1[\r\n\x03]*$/;

/** Drives a magnetic stripe reader that sends tracks as ASCII text and takes no commands. */
export class MsrDriver implements ReaderDriver {
  #transport: ByteTransport;
  #clock: Clock;
  #fingerprintKey: Uint8Array;
  #burst: Uint8Array = new Uint8Array();
  #idle: TimerHandle | undefined;
  #emit: ((event: ReaderEvent) => void) | undefined;
  /** Whether the reader reports cards that are put in. If so, its sensor adds a digit after the tracks. */
  #hasSensor = false;
  #inserted = false;

  constructor(transport: ByteTransport, reader: { clock: Clock; fingerprintKey: Uint8Array }) {
    this.#transport = transport;
    this.#clock = makeStallTolerantClock(reader.clock);
    this.#fingerprintKey = reader.fingerprintKey;
    // The driver listens even while it is disarmed. Otherwise, the bytes of a swipe that comes while the driver is
    // disarmed would get into the next swipe.
    transport.onData((bytes) => this.#received(bytes));
    transport.onClosed(() => this.#clock.clearTimeout(this.#idle));
  }

  /**
   * Describes the reader without asking it, because a magnetic stripe reader answers no questions. Sets the control
   * lines, because some readers get their power from the control lines.
   */
  async open(): Promise<ReaderInfo> {
    await this.#transport.setLines?.({ dtr: true, rts: true });
    return { driver: 'msr', description: 'magnetic stripe reader', entries: ['MagStripe'] };
  }

  async arm(request: ArmRequest, emit: (event: ReaderEvent) => void): Promise<void> {
    if (!request.entries.includes('MagStripe') || request.signal.aborted) return;
    this.#emit = emit;
    const lost = await disarmedOrLost(this.#transport, request.signal);
    this.#emit = undefined;
    this.#inserted = false;
    if (lost !== undefined) emit({ type: 'reader.lost', why: lost });
  }

  async close(): Promise<void> {
    await this.#transport.close();
  }

  #received(bytes: Uint8Array): void {
    // Once the burst is longer than the limit, further bytes are dropped. The burst is then too long to count as a
    // swipe.
    if (this.#burst.length <= longestSwipe) this.#burst = concatBytes(this.#burst, bytes);
    this.#clock.clearTimeout(this.#idle);
    this.#idle = this.#clock.setTimeout(() => this.#swiped(), idleGapMs);
  }

  #swiped(): void {
    const burst = this.#burst;
    this.#burst = new Uint8Array();
    if (burst.length < 8 && cardInserted.test(Buffer.from(burst).toString('latin1'))) {
      this.#hasSensor = true;
      return this.#present();
    }
    const emit = this.#emit;
    if (!emit) return;
    if (!this.#inserted) this.#present();
    emit(this.#read(burst));
    this.#inserted = false;
    emit({ type: 'card.removed', entry: 'MagStripe' });
  }

  #present(): void {
    if (!this.#emit || this.#inserted) return;
    this.#inserted = true;
    this.#emit({ type: 'card.present', entry: 'MagStripe' });
  }

  #read(burst: Uint8Array): ReaderEvent {
    try {
      if (burst.length > longestSwipe) throw new CardError('BAD_READ', 'more than a swipe');
      const tracks = this.#hasSensor ? withoutSensorDigit(burst) : burst;
      return { type: 'card.read', read: parseSwipe(tracks, this.#fingerprintKey) };
    } catch (error) {
      if (!(error instanceof CardError)) throw error;
      return { type: 'card.error', entry: 'MagStripe', code: error.code };
    }
  }
}

/** Resolves to undefined when the reader is disarmed, or to the reason when the line is gone. */
function disarmedOrLost(transport: ByteTransport, signal: AbortSignal): Promise<string | undefined> {
  return new Promise<string | undefined>((resolve) => {
    const onAbort = () => {
      off();
      resolve(undefined);
    };
    signal.addEventListener('abort', onAbort, { once: true });
    const off = transport.onClosed((why) => {
      signal.removeEventListener('abort', onAbort);
      resolve(why);
    });
  });
}

/** Drops the digit that the sensor sends after the tracks. This digit is 0 when the card is pulled out again. */
function withoutSensorDigit(burst: Uint8Array): Uint8Array {
  let end = burst.length;
  while (end > 0 && (burst[end - 1] ?? 0) < 0x20) end--;
  return burst[end - 1] === 0x30 ? burst.subarray(0, end - 1) : burst;
}
