import { copyToOwnBuffer, FrameOutbox } from './outbox.ts';
import type { LinkSocket } from './socket.ts';

type Written = (error?: Error | null) => void;

/** The part of a `ws` socket that this class uses. */
interface OneLinksSocket {
  readonly bufferedAmount: number;
  send(text: string, written?: Written): void;
  ping(data: Buffer | undefined, mask: undefined, written: Written): void;
  pong(data: Buffer, mask: undefined, written: Written): void;
  close(code: number, reason: string): void;
  terminate(): void;
  on(event: string, listener: never): unknown;
}

/** A WebSocket that carries only one link. */
export class DedicatedSocket implements LinkSocket {
  readonly #socket: OneLinksSocket;
  readonly #outbox = new FrameOutbox();

  constructor(socket: OneLinksSocket) {
    this.#socket = socket;
  }

  get bufferedAmount(): number {
    return this.#outbox.bytes;
  }

  on(event: 'message' | 'ping' | 'pong' | 'close' | 'error', listener: never): void {
    this.#socket.on(event, listener);
  }

  send(text: string): void {
    // If nothing is waiting to be written, the bytes of the message are not counted as waiting. Counting needs a
    // callback for each write, and the callback would take a tenth of the time that a message takes. If the operating
    // system does not accept the message at once, the next messages are counted.
    if (this.#outbox.bytes === 0 && this.#socket.bufferedAmount === 0) this.#socket.send(text);
    else this.#outbox.put(Buffer.byteLength(text), (written) => this.#socket.send(text, written));
  }

  ping(data?: Buffer): void {
    this.#outbox.put(data?.length ?? 0, (written) => this.#socket.ping(data, undefined, written));
  }

  pong(data: Buffer): void {
    const own = copyToOwnBuffer(data);
    this.#outbox.put(own.length, (written) => this.#socket.pong(own, undefined, written));
  }

  close(code: number, reason: string): void {
    this.#outbox.empty();
    this.#socket.close(code, reason);
  }

  terminate(): void {
    this.#socket.terminate();
  }
}
