import { isUtf8 } from 'node:buffer';
import type { Clock, TimerHandle } from '../clock.ts';
import { largestFrameBytes } from './largest-frame.ts';
import { ProtocolBreachError, type RecordKind, recordKinds } from './records.ts';
import type { LinkSocket } from './socket.ts';

const nothing = Buffer.alloc(0);
const longestReason = 123;
/** The code for an end without a close handshake (RFC 6455 §7.1.5). */
const abnormal = 1006;
const [badText, tooLarge] = [1007, 1009];

/** The functions of a shared socket that a channel on this socket calls. */
export interface SharedCarrier {
  put(channel: Channel, kind: RecordKind, content?: string | Buffer, acknowledged?: number): void;
  atTurnEnd(run: () => void): void;
  /** Removes a channel that has ended. Records that still arrive for it are dropped. */
  forget(channel: Channel): void;
}

/**
 * Counts the bytes that a channel has sent and that still wait to be written. A waiting frame refers to this object and
 * not to the channel. So the channel does not stay in memory if it ends long before the frame leaves.
 */
export interface UnsentByteCounter {
  bytes: number;
}

type Listeners = {
  message?: (data: Buffer, isBinary: boolean, acknowledged?: number) => void;
  ping?: (data: Buffer) => void;
  pong?: (data: Buffer) => void;
  close?: (code: number, reason: Buffer) => void;
};

/**
 * One terminal's connection on a shared socket. The terminal's link can use the channel like a socket of its own: an
 * error, a slow reader or an end affects no other channel.
 */
export class Channel implements LinkSocket {
  readonly carriesAcknowledgements = true;
  readonly id: number;
  readonly waiting: UnsentByteCounter = { bytes: 0 };
  readonly #carrier: SharedCarrier;
  readonly #closing: { readonly realClock: Clock; readonly lingerMs: number };
  readonly #listeners: Listeners = {};
  #state: 'open' | 'closing' | 'over' = 'open';
  #ignoresMessages = false;
  #limit: TimerHandle | undefined;

  constructor(id: number, carrier: SharedCarrier, closing: { realClock: Clock; lingerMs: number }) {
    this.id = id;
    this.#carrier = carrier;
    this.#closing = closing;
  }

  get bufferedAmount(): number {
    return this.waiting.bytes;
  }

  on(event: 'message' | 'ping' | 'pong' | 'close' | 'error', listener: never): void {
    if (event !== 'error') this.#listeners[event] = listener;
  }

  send(text: string, acknowledged = 0): void {
    if (this.#state !== 'open') return;
    // If the other end got a message of this size, it would end the whole socket. So this end closes only the channel,
    // and does not send the message.
    if (text.length > largestFrameBytes / 3 && Buffer.byteLength(text) > largestFrameBytes)
      this.close(tooLarge, '');
    else this.#carrier.put(this, recordKinds.message, text, acknowledged);
  }

  ping(data?: Buffer): void {
    if (this.#state === 'open') this.#carrier.put(this, recordKinds.ping, data);
  }

  pong(data: Buffer): void {
    if (this.#state === 'open') this.#carrier.put(this, recordKinds.pong, data);
  }

  close(code: number, reason: string): void {
    if (this.#state !== 'open') return;
    this.#state = 'closing';
    this.#carrier.put(this, recordKinds.close, closeContent(code, Buffer.from(reason)));
    const { realClock, lingerMs } = this.#closing;
    this.#limit = realClock.setTimeout(() => this.terminate(), lingerMs);
  }

  terminate(): void {
    if (this.#state === 'over') return;
    this.#carrier.put(this, recordKinds.reset);
    this.#reportEnd(abnormal, nothing);
  }

  atTurnEnd(run: () => void): void {
    this.#carrier.atTurnEnd(run);
  }

  /**
   * Handles a record from the other end.
   *
   * @throws ProtocolBreachError if a channel must not get such a record
   */
  received(kind: RecordKind, acknowledged: number, content: Buffer): void {
    if (this.#state === 'over') return;
    if (kind === recordKinds.message) this.#receivedMessage(content, acknowledged);
    else if (kind === recordKinds.ping) this.#listeners.ping?.(content);
    else if (kind === recordKinds.pong) this.#listeners.pong?.(content);
    else if (kind === recordKinds.reset) this.#reportEnd(abnormal, nothing);
    else if (kind === recordKinds.close) this.#peerCloses(content);
    else throw new ProtocolBreachError('a record opens or refuses a channel that is already open');
  }

  /** Ends the channel, because the socket has ended. */
  carrierEnded(code: number, reason: Buffer): void {
    if (this.#state === 'over') return;
    this.#state = 'over';
    this.#closing.realClock.clearTimeout(this.#limit);
    this.#listeners.close?.(code, reason);
  }

  #receivedMessage(content: Buffer, acknowledged: number): void {
    if (this.#ignoresMessages) return;
    if (isUtf8(content)) return this.#listeners.message?.(content, false, acknowledged);
    this.#ignoresMessages = true;
    this.close(badText, '');
  }

  #peerCloses(content: Buffer): void {
    const code = content.length >= 2 ? content.readUInt16BE() : 0;
    const reason = content.subarray(2);
    if (!mayClose(code) || reason.length > longestReason || !isUtf8(reason))
      throw new ProtocolBreachError('the close code or its reason is unknown');
    if (this.#state === 'open') this.#carrier.put(this, recordKinds.close, closeContent(code, reason));
    this.#reportEnd(code, Buffer.from(reason));
  }

  /** Reports in a later turn of the event loop that the channel has ended, as a socket would do. */
  #reportEnd(code: number, reason: Buffer): void {
    this.#state = 'over';
    this.#closing.realClock.clearTimeout(this.#limit);
    this.#carrier.forget(this);
    setImmediate(() => this.#listeners.close?.(code, reason));
  }
}

function closeContent(code: number, reason: Buffer): Buffer {
  const content = Buffer.allocUnsafe(2 + reason.length);
  content.writeUInt16BE(code);
  reason.copy(content, 2);
  return content;
}

/** Whether a close code may be sent (RFC 6455 §7.4). */
function mayClose(code: number): boolean {
  return (
    (code >= 1000 && code <= 1014 && ![1004, 1005, 1006].includes(code)) || (code >= 3000 && code <= 4999)
  );
}
