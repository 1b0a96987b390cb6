import { describeCauseForLog } from '../file-fault.ts';
import type { EndInFlight } from '../in-flight.ts';
import type { Runtime } from '../runtime.ts';
import { makeAcknowledgementFrame, makeRefusalFrame, readDeliveryReport } from './acknowledgement.ts';
import { makeSafeCloseReason } from './close-reason.ts';
import { SignOfLifeWaiter } from './sign-of-life.ts';
import { SlowLine } from './slow-line.ts';
import type { LinkSocket, ReceivedFrame } from './socket.ts';
import { AcknowledgementTracker } from './unacknowledged.ts';

/** Close codes that pinpad's links use in addition to those of RFC 6455. */
export const closeCodes = {
  normal: 1000,
  goingAway: 1001,
  unsupportedData: 1003,
  badMessage: 1007,
  policy: 1008,
  internalError: 1011,
  tooMuch: 1013,
  displaced: 4001,
  unacknowledged: 4002,
  silent: 4003,
} as const;

/** The maximum number of bytes that the other end can leave unread. If there are more, the link is cut off. */
const longestBacklog = 16_000_000;

/** Handles one message. Must resolve only after its changes are committed, because the message is acknowledged then. */
export type MessageHandler = (json: unknown, text: string, bytes: number) => void | Promise<unknown>;

/** Thrown by a handler if the other end broke the protocol: the link closes with this code and reason. */
export class LinkProtocolError extends Error {
  readonly code: number;
  constructor(code: number, reason: string) {
    super(reason);
    this.code = code;
  }
}

/** A message that was refused this many times is not sent again (B67). */
export const maxMessageRefusals = 3;

/** Thrown by a handler if it cannot read a message. The message is refused, and the link stays open (B67). */
export class UnreadableMessageError extends Error {}

/**
 * One connection of a terminal or an emulator, seen from either end. It uses a WebSocket or one channel of a WebSocket
 * (docs/decisions/0019). Each text frame is one JSON message, and every message is acknowledged. `{"Acknowledged": n}`
 * says that the first n messages were handled (B64). A count is enough: messages keep their order.
 * `{"Refused": n, "Reason": …}` says that message n is unreadable, and that all messages before it were handled.
 */
export class Link {
  readonly id: string;
  readonly remote: string;
  #socket: LinkSocket;
  #runtime: Runtime;
  #handler: MessageHandler = () => {};
  #onClosed: ((code: number, reason: string) => void)[] = [];
  #unacknowledged: AcknowledgementTracker;
  /** How many messages of the other end have been handled. */
  #handled = 0;
  /** Resolves when all messages that have arrived so far are handled. */
  #allHandled = Promise.resolve();
  #inHand = 0;
  /** Whether an acknowledgement leaves at the end of this turn of the event loop, unless a message carries it first. */
  #owesAcknowledgement = false;
  #cut = false;
  /** The two directions of a slow line; undefined if the connection was never slow. */
  #slow: { out: SlowLine; in: SlowLine } | undefined;
  #pingedAt: number | undefined;
  /** The sign of life that this end waits for. Frames that arrive before the sign of life are held back. */
  #signOfLife: SignOfLifeWaiter | undefined;
  #usedAt: number;
  #closed: { code: number; reason: string } | undefined;

  constructor(socket: LinkSocket, id: string, remote: string, runtime: Runtime) {
    this.#socket = socket;
    this.id = id;
    this.remote = remote;
    this.#runtime = runtime;
    this.#usedAt = runtime.realClock.monotonic();
    this.#unacknowledged = new AcknowledgementTracker(runtime, () =>
      this.fail(closeCodes.unacknowledged, 'a message was not acknowledged in time'),
    );
    runtime.inFlight.opened(id);
    socket.on('message', (data, isBinary, acknowledged = 0) =>
      this.#received({ data, isBinary, acknowledged }),
    );
    socket.on('ping', (data) => this.#pinged(data));
    socket.on('pong', (data) => this.#ponged(data));
    socket.on('close', (code, reason) => this.#ended(code, reason.toString()));
    socket.on('error', () => {}); // after an error, the event `close` always follows, and contains the code
  }

  get open(): boolean {
    return this.#closed === undefined;
  }

  /** The moment when something last arrived on the link, in milliseconds of the monotonic clock. */
  get unusedSince(): number {
    return this.#usedAt;
  }

  /** Sets the handler of messages. It must be set in the turn of the event loop in which the link opens. */
  handle(handler: MessageHandler): void {
    this.#handler = handler;
  }

  onClosed(listener: (code: number, reason: string) => void): void {
    if (this.#closed) listener(this.#closed.code, this.#closed.reason);
    else this.#onClosed.push(listener);
  }

  /**
   * Sends one JSON text. Calls `acknowledged` once the other end has handled the text, or `refused` if the other end
   * cannot read the text. If the link is dead, calls neither.
   */
  send(text: string, acknowledged?: () => void, refused?: (reason: string) => void): void {
    if (this.#closed || this.#cut) return;
    this.#unacknowledged.sent(acknowledged, refused);
    this.#transmit(text, this.#takeAcknowledgement());
  }

  /** Calls `run` at the end of this turn of the event loop; on a shared socket, before this turn's messages leave. */
  atTurnEnd(run: () => void): void {
    if (this.#socket.atTurnEnd) this.#socket.atTurnEnd(run);
    else setImmediate(run);
  }

  /** Pings the other end. If the former ping has not been answered yet, ends the link instead. */
  ping(): void {
    if (this.#closed || this.#cut) return;
    if (this.#pingedAt !== undefined) return this.fail(closeCodes.silent, 'there was no answer to a ping');
    this.#pingedAt = this.#runtime.clock.monotonic();
    this.#sendOverLine(() => this.#socket.ping());
  }

  /** Asks for a sign of life. Holds frames back until it comes, and then calls `done`. Without it, ends the link. */
  proveAlive(withinMs: number, done: (alive: boolean) => void): void {
    if (this.#closed) return done(false);
    const cutOff = (why: string) => this.fail(closeCodes.silent, why);
    this.#signOfLife = new SignOfLifeWaiter(this.#runtime.clock, withinMs, { done, cutOff });
    this.#sendOverLine(() => this.#socket.ping(SignOfLifeWaiter.question));
  }

  close(code: number = closeCodes.normal, reason = ''): void {
    if (this.#closed) return;
    this.#runtime.inFlight.sent(this.id); // a ping on its way counts as in flight, like a message
    this.#socket.close(code, makeSafeCloseReason(reason));
  }

  /** Ends the link without a handshake, like a process that dies. Listeners receive this code and reason. */
  fail(code: number, reason: string): void {
    this.#socket.terminate();
    this.#ended(code, reason);
  }

  /** Acts like a pulled cable: nothing leaves any more, and all that arrives is lost. The other end is not informed. */
  cut(): void {
    this.#cut = true;
  }

  /**
   * Delays everything by `latencyMs` in each direction, in milliseconds of the clock; 0 means no delay. If the link
   * ends, everything that is still on its way is lost.
   */
  slowDown(latencyMs: number): void {
    if (latencyMs === 0 && !this.#slow) return;
    const { clock } = this.#runtime;
    this.#slow ??= { out: new SlowLine(clock), in: new SlowLine(clock) };
    this.#slow.out.latencyMs = latencyMs;
    this.#slow.in.latencyMs = latencyMs;
  }

  #transmit(text: string, acknowledged?: number): void {
    if (this.#slow) return this.#sendOverLine(() => this.#socket.send(text, acknowledged));
    if (this.#cutOffIfUnread()) return;
    this.#runtime.inFlight.sent(this.id);
    this.#socket.send(text, acknowledged);
  }

  /** Returns the count of handled messages, if it has to be reported and the next message can carry it. */
  #takeAcknowledgement(): number | undefined {
    if (!this.#owesAcknowledgement || !this.#socket.carriesAcknowledgements) return undefined;
    this.#owesAcknowledgement = false;
    return this.#handled;
  }

  /** Sends a frame that has passed the slow line, if the link is still open. */
  #sendNow(send: () => void): void {
    if (this.#closed || this.#cut) return;
    if (this.#cutOffIfUnread()) return;
    this.#runtime.inFlight.sent(this.id);
    send();
  }

  /** If the other end has left too many bytes unread, cuts the link off and returns true. */
  #cutOffIfUnread(): boolean {
    if (this.#socket.bufferedAmount <= longestBacklog) return false;
    this.fail(closeCodes.silent, 'the other end does not read');
    return true;
  }

  #received(frame: ReceivedFrame): void {
    if (this.#closed) return;
    this.#usedAt = this.#runtime.realClock.monotonic();
    const working = this.#runtime.inFlight.begin();
    this.#runtime.inFlight.arrived(this.id);
    if (!this.#slow) return this.#handleFrame(frame, working);
    // A frame on the slow line is not counted as in flight, so virtual time can pass until the frame arrives.
    this.#slow.in.carry(() => this.#handleFrame(frame, this.#runtime.inFlight.begin()));
    working();
  }

  #handleFrame(frame: ReceivedFrame, working: EndInFlight): void {
    if (this.#closed || this.#cut) return working();
    // A frame that waits for a sign of life is not counted as in flight: the wait for the sign is counted instead.
    if (this.#signOfLife) {
      this.#signOfLife.hold(frame);
      return working();
    }
    const { data, isBinary, acknowledged } = frame;
    if (isBinary) {
      working();
      return this.close(closeCodes.unsupportedData, 'text frames only');
    }
    if (acknowledged > 0) this.#peerAcknowledged(acknowledged);
    if (acknowledged > 0 && data.length === 0) return working();
    const text = data.toString();
    let json: unknown;
    try {
      json = JSON.parse(text);
    } catch {
      working();
      return this.close(closeCodes.badMessage, 'not JSON');
    }
    const said = readDeliveryReport(json);
    if (said === undefined) return this.#runHandler(() => this.#handler(json, text, data.length), working);
    if ('refused' in said) this.#peerRefused(said.refused, said.reason);
    else this.#peerAcknowledged(said.acknowledged);
    working();
  }

  #runHandler(handle: () => void | Promise<unknown>, working: EndInFlight): void {
    const alone = this.#inHand === 0;
    this.#inHand++;
    let outcome: Promise<unknown> | undefined;
    try {
      outcome = handle() as Promise<unknown> | undefined;
    } catch (error) {
      if (!(error instanceof UnreadableMessageError)) return this.#refuse(error, working);
      outcome = Promise.reject(error);
    }
    if (alone && !outcome) return this.#countHandled(working);
    // Acknowledgements count messages in order, so a message that is handled early is counted after earlier messages.
    if (!alone) outcome?.catch(() => {}); // the message may fail while earlier messages are still being handled
    const inOrder = alone && outcome ? outcome : this.#allHandled.then(() => outcome);
    this.#allHandled = inOrder.then(
      () => this.#countHandled(working),
      (error) => this.#refuse(error, working),
    );
  }

  #countHandled(working: EndInFlight): void {
    this.#inHand--;
    this.#handled++;
    working();
    if (this.#owesAcknowledgement) return;
    this.#owesAcknowledgement = true;
    const pending = this.#runtime.inFlight.begin();
    this.atTurnEnd(() => {
      if (this.#owesAcknowledgement) this.#acknowledge();
      pending();
    });
  }

  /** Acknowledges all messages that have been handled so far, with a frame that carries no message. */
  #acknowledge(): void {
    this.#owesAcknowledgement = false;
    if (this.#closed || this.#cut || this.#inHand > 0) return;
    if (this.#socket.carriesAcknowledgements) this.#transmit('', this.#handled);
    else this.#transmit(makeAcknowledgementFrame(this.#handled));
  }

  #refuse(error: unknown, working: EndInFlight): void {
    this.#inHand--;
    if (error instanceof UnreadableMessageError) this.#refuseMessage(error.message);
    working();
    if (error instanceof UnreadableMessageError) return;
    if (error instanceof LinkProtocolError) return this.close(error.code, error.message);
    this.#runtime.journal.add('warning', { message: `link ${this.remote}: ${describeCauseForLog(error)}` });
    this.close(closeCodes.internalError, 'internal error');
  }

  #refuseMessage(reason: string): void {
    this.#handled++;
    if (this.#closed || this.#cut) return;
    this.#transmit(makeRefusalFrame(this.#handled, reason));
  }

  #peerAcknowledged(count: number): void {
    if (this.#unacknowledged.acknowledge(count)) return;
    this.close(closeCodes.policy, 'the other end acknowledged a message that was not sent');
  }

  #peerRefused(count: number, reason: string): void {
    if (this.#unacknowledged.refuse(count, reason)) return;
    this.close(closeCodes.policy, 'the other end refused a message that it cannot refuse any more');
  }

  #pinged(data: Buffer): void {
    this.#receiveControl(() => this.#sendOverLine(() => this.#socket.pong(data)));
  }

  #ponged(data?: Buffer): void {
    this.#receiveControl(() => {
      const signOfLife = this.#signOfLife;
      this.#pingedAt = undefined;
      if (!signOfLife?.isAnsweredBy(data)) return;
      this.#signOfLife = undefined;
      for (const frame of signOfLife.end(true)) this.#handleFrame(frame, this.#runtime.inFlight.begin());
    });
  }

  #sendOverLine(send: () => void): void {
    if (this.#slow) this.#slow.out.carry(() => this.#sendNow(send));
    else this.#sendNow(send);
  }

  #receiveControl(take: () => void): void {
    this.#usedAt = this.#runtime.realClock.monotonic();
    const working = this.#runtime.inFlight.begin();
    this.#runtime.inFlight.arrived(this.id);
    if (this.#slow) this.#slow.in.carry(take);
    else take();
    working();
  }

  #ended(code: number, reason: string): void {
    if (this.#closed) return;
    this.#closed = { code, reason };
    this.#unacknowledged.stop();
    this.#signOfLife?.end(false);
    this.#slow?.out.lose();
    this.#slow?.in.lose();
    for (const listener of this.#onClosed) listener(code, reason);
    this.#runtime.inFlight.closed(this.id);
  }
}
