import type { Runtime } from '../runtime.ts';
import { Channel, type SharedCarrier, type UnsentByteCounter } from './channel.ts';
import { largestFrameBytes } from './largest-frame.ts';
import { closeCodes } from './link.ts';
import { copyToOwnBuffer, FrameOutbox } from './outbox.ts';
import {
  encodeRecords,
  forEachRecord,
  type OutgoingRecord,
  ProtocolBreachError,
  type RecordKind,
  recordHeaderBytes,
  recordKinds,
} from './records.ts';

/** The WebSocket sub-protocol with which terminals share a socket. */
export const sharedSocketProtocol = 'pinpad.channels.1';
/**
 * The WebSocket sub-protocol for a socket with one link. It is offered first, because a server that knows neither of
 * the two protocols picks the first one.
 */
export const singleLinkProtocol = 'pinpad.own.1';
/** The maximum number of terminals that share a socket. */
export const maxChannelsPerSocket = 256;
/** The maximum size of a frame on a shared socket: it has room for one message of the maximum size. */
export const largestSharedFrameBytes = largestFrameBytes + recordHeaderBytes;

/** The maximum number of bytes of records that go into one frame. */
const fullFrame = 1024 * 1024;
/**
 * The maximum number of records that leave together. If more records are sent in a turn of the event loop, the first
 * ones leave before the turn ends, so that the other end can begin to handle them.
 */
const recordsTogether = 16;
/**
 * The maximum number of bytes that can wait to be written, for all channels together. If a peer leaves more bytes
 * unread, its socket is cut off. Each link also has a limit of its own.
 */
const mostUnwritten = 64_000_000;
const nothing = Buffer.alloc(0);
const [normal, protocolError] = [1000, 1002];
const unread = { code: closeCodes.silent, reason: Buffer.from('the other end does not read') };

type Written = (error?: Error | null) => void;

/** The part of a `ws` socket that a shared socket uses. */
export interface CarrierSocket {
  send(frame: Buffer, written: Written): void;
  close(code: number, reason: string): void;
  terminate(): void;
  on(event: 'message', listener: (data: Buffer, isBinary: boolean) => void): unknown;
  on(event: 'ping', listener: (data: Buffer) => void): unknown;
  on(event: 'close', listener: (code: number, reason: Buffer) => void): unknown;
  on(event: 'error', listener: (error: Error) => void): unknown;
  pong(data: Buffer, mask: undefined, written: Written): void;
}

/** The functions of a shared socket that differ between the gateway's end and the terminals' end. */
interface SharedSocketHandlers {
  /**
   * Handles a record about a channel that is not open.
   *
   * @throws ProtocolBreachError if such a record is not allowed
   */
  unopened(kind: RecordKind, channel: number, content: Buffer): void;
  /** Called when the last channel is gone. */
  emptied(): void;
  ended(): void;
}

/**
 * One end of a WebSocket that several terminals of a process share. All records that the channels send in a turn of the
 * event loop leave together. Each channel gets the records that arrive for that channel.
 */
export class SharedSocket implements SharedCarrier {
  readonly #socket: CarrierSocket;
  readonly #runtime: Pick<Runtime, 'realClock' | 'timeouts'>;
  readonly #handlers: SharedSocketHandlers;
  readonly #channels = new Map<number, Channel>();
  #records: OutgoingRecord[] = [];
  /** For each record in `#records`, the {@link UnsentByteCounter} of its channel; undefined if that channel is not open. */
  #senders: (UnsentByteCounter | undefined)[] = [];
  #beforeFlush: (() => void)[] = [];
  #flushing = false;
  readonly #outbox = new FrameOutbox();
  #usedAt: number;
  /** Whether the peer was cut off because it reads too little. */
  #cutOff = false;
  #ended = false;

  constructor(
    socket: CarrierSocket,
    runtime: Pick<Runtime, 'realClock' | 'timeouts'>,
    handlers: SharedSocketHandlers,
  ) {
    this.#socket = socket;
    this.#runtime = runtime;
    this.#handlers = handlers;
    this.#usedAt = runtime.realClock.monotonic();
    socket.on('message', (data, isBinary) => this.#received(data, isBinary));
    socket.on('ping', (data) => this.#pong(data));
    socket.on('close', (code, reason) => {
      if (this.#cutOff) this.#end(unread.code, unread.reason);
      else this.#end(code, reason);
    });
    socket.on('error', () => {}); // the event `close` always follows an error
  }

  get channels(): number {
    return this.#channels.size;
  }

  get open(): boolean {
    return !this.#ended && !this.#cutOff;
  }

  /** The moment when something last arrived on the socket, in milliseconds of the monotonic clock. */
  get usedAt(): number {
    return this.#usedAt;
  }

  /** Adds a channel that both ends have agreed on. */
  add(id: number): Channel {
    const { realClock, timeouts } = this.#runtime;
    const channel = new Channel(id, this, { realClock, lingerMs: timeouts.lingerMs });
    this.#channels.set(id, channel);
    return channel;
  }

  forget(channel: Channel): void {
    this.#channels.delete(channel.id);
    if (this.#channels.size === 0) this.#handlers.emptied();
  }

  put(channel: Channel, kind: RecordKind, content: string | Buffer = nothing, acknowledged = 0): void {
    this.#put(
      { kind, channel: channel.id, acknowledged, content, length: Buffer.byteLength(content) },
      channel.waiting,
    );
  }

  /** Sends a record about a channel that is not open. */
  say(kind: RecordKind, channel: number, content: string | Buffer = nothing): void {
    this.#put({ kind, channel, acknowledged: 0, content, length: Buffer.byteLength(content) }, undefined);
  }

  atTurnEnd(run: () => void): void {
    this.#beforeFlush.push(run);
    this.#flushSoon();
  }

  /** Passes all waiting records to the socket, and then closes it. */
  close(code: number = normal, reason = ''): void {
    this.#flush();
    this.#outbox.empty();
    this.#socket.close(code, reason);
  }

  terminate(): void {
    this.#socket.terminate();
  }

  #put(record: OutgoingRecord, sender: UnsentByteCounter | undefined): void {
    if (!this.open) return;
    this.#records.push(record);
    this.#senders.push(sender);
    if (sender) sender.bytes += record.length + recordHeaderBytes;
    if (this.#records.length >= recordsTogether) this.#sendRecords();
    else this.#flushSoon();
  }

  /** Cuts off a peer that reads too little. The channels end later, when the socket reports its end. */
  #watchBacklog(): void {
    if (this.#outbox.bytes <= mostUnwritten) return;
    this.#cutOff = true;
    this.terminate();
  }

  #flushSoon(): void {
    if (this.#flushing) return;
    this.#flushing = true;
    setImmediate(() => this.#flush());
  }

  #flush(): void {
    while (this.#beforeFlush.length > 0) for (const run of this.#beforeFlush.splice(0)) run();
    this.#flushing = false;
    this.#sendRecords();
  }

  #sendRecords(): void {
    const records = this.#records;
    const senders = this.#senders;
    if (records.length === 0) return;
    this.#records = [];
    this.#senders = [];
    let from = 0;
    let length = 0;
    for (let at = 0; at < records.length; at++) {
      const size = (records[at] as OutgoingRecord).length + recordHeaderBytes;
      if (length > 0 && length + size > fullFrame) {
        this.#send(records.slice(from, at), senders.slice(from, at), length);
        from = at;
        length = 0;
      }
      length += size;
    }
    if (from === 0) this.#send(records, senders, length);
    else this.#send(records.slice(from), senders.slice(from), length);
  }

  #send(
    records: readonly OutgoingRecord[],
    senders: readonly (UnsentByteCounter | undefined)[],
    length: number,
  ): void {
    if (!this.open) return;
    const sizes = records.map((record) => record.length + recordHeaderBytes);
    const frame = encodeRecords(records, length, this.#outbox.behind);
    this.#outbox.put(
      length,
      (written) => this.#socket.send(frame, written),
      () => {
        for (let at = 0; at < senders.length; at++) {
          const sender = senders[at];
          if (sender) sender.bytes -= sizes[at] as number;
        }
      },
    );
    this.#watchBacklog();
  }

  #pong(data: Buffer): void {
    if (!this.open) return;
    const own = copyToOwnBuffer(data);
    this.#outbox.put(own.length, (written) => this.#socket.pong(own, undefined, written));
    this.#watchBacklog();
  }

  #received(frame: Buffer, isBinary: boolean): void {
    if (!this.open) return;
    this.#usedAt = this.#runtime.realClock.monotonic();
    try {
      if (!isBinary) throw new ProtocolBreachError('binary frames only');
      forEachRecord(frame, (kind, id, acknowledged, content) => {
        const channel = this.#channels.get(id);
        if (channel) channel.received(kind, acknowledged, content);
        else this.#handlers.unopened(kind, id, content);
        return this.open;
      });
    } catch (error) {
      if (!(error instanceof ProtocolBreachError)) throw error;
      this.end(protocolError, error.message); // frames that the peer sends after this are ignored
    }
  }

  /** Closes the socket, and ends its channels in the same turn of the event loop. */
  end(code: number, reason: string): void {
    this.#socket.close(code, reason);
    this.#end(code, Buffer.from(reason));
  }

  #end(code: number, reason: Buffer): void {
    if (this.#ended) return;
    this.#ended = true;
    this.#records = [];
    this.#senders = [];
    const channels = [...this.#channels.values()];
    this.#channels.clear();
    for (const channel of channels) channel.carrierEnded(code, reason);
    for (const run of this.#beforeFlush.splice(0)) run();
    this.#handlers.ended();
  }
}

/** Whether a record of this kind can arrive after its channel has ended. */
export function mayArriveLate(kind: RecordKind): boolean {
  return kind >= recordKinds.message;
}
