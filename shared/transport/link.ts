import { causeOf } from '../file-fault.ts';
import type { Done } from '../in-flight.ts';
import type { Runtime } from '../runtime.ts';
import { acknowledgementFrame, refusal, saidIn } from './acknowledgement.ts';
import { closeReason } from './close-reason.ts';
import { SignOfLife } from './sign-of-life.ts';
import { SlowLine } from './slow-line.ts';
import type { Frame, Socket } from './socket.ts';
import { Unacknowledged } from './unacknowledged.ts';

/** Close codes of our links, in addition to those of RFC 6455. */
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

/** If more bytes wait for the other end to read, the link is cut off: that end sends but does not read. */
const longestBacklog = 16_000_000;

/** Handles one message; its acknowledgement goes out when the promise resolves, so resolve after committing. */
export type MessageHandler = (json: unknown, text: string, bytes: number) => void | Promise<unknown>;

/** Thrown by a handler if the other end broke the protocol: the link closes with this code and reason. */
export class LinkError extends Error {
  readonly code: number;
  constructor(code: number, reason: string) {
    super(reason);
    this.code = code;
  }
}

/** A message refused this often is not sent again (B67). */
export const mostRefusals = 3;

/** Thrown by a handler that cannot read a message: its number is refused, and the link stays open (B67). */
export class UnreadableMessage extends Error {}

/**
 * One connection of a terminal or an emulator, from either end, on a WebSocket of its own or a channel of a shared one
 * (docs/decisions/0019). Text frames carry one JSON message each. Every message is acknowledged: `{"Acknowledged": n}`
 * says that the first n messages of this connection were handled (B64). Messages keep their order, so a count is
 * enough. `{"Refused": n, "Reason": …}` says that the n-th cannot be read, and that those before it were handled.
 */
export class Link {
  readonly id: string;
  readonly remote: string;
  #socket: Socket;
  #runtime: Runtime;
  #handler: MessageHandler = () => {};
  #onClosed: ((code: number, reason: string) => void)[] = [];
  #unacknowledged: Unacknowledged;
  #handled = 0;
  #handledPromised = Promise.resolve();
  #backlog = 0;
  #acknowledging = false;
  #cut = false;
  /** Both directions of a slow line; set once the connection has been slow. */
  #slow: { out: SlowLine; in: SlowLine } | undefined;
  #pingedAt: number | undefined;
  /** The sign of life that was asked for. Frames that came after the question are handled only after the sign. */
  #signOfLife: SignOfLife | undefined;
  #usedAt: number;
  #closed: { code: number; reason: string } | undefined;

  constructor(socket: Socket, id: string, remote: string, runtime: Runtime) {
    this.#socket = socket;
    this.id = id;
    this.remote = remote;
    this.#runtime = runtime;
    this.#usedAt = runtime.realClock.monotonic();
    this.#unacknowledged = new Unacknowledged(runtime, () =>
      this.fail(closeCodes.unacknowledged, 'a message was not acknowledged in time'),
    );
    runtime.inFlight.opened(id);
    socket.on('message', (data, isBinary, acknowledged = 0) =>
      this.#received({ data, isBinary, acknowledged }),
    );
    socket.on('ping', (data) => this.#pinged(data));
    socket.on('pong', (data) => this.#ponged(data));
    socket.on('close', (code, reason) => this.#ended(code, reason.toString()));
    socket.on('error', () => {}); // `close` always follows, with the code
  }

  get open(): boolean {
    return this.#closed === undefined;
  }

  /** The moment since which nothing has arrived on the link, in milliseconds of the monotonic clock. */
  get unusedSince(): number {
    return this.#usedAt;
  }

  /** Sets the handler of messages. Messages do not wait, so call this in the turn that hands the link over. */
  handle(handler: MessageHandler): void {
    this.#handler = handler;
  }

  onClosed(listener: (code: number, reason: string) => void): void {
    if (this.#closed) listener(this.#closed.code, this.#closed.reason);
    else this.#onClosed.push(listener);
  }

  /**
   * Sends one JSON text. `acknowledged` runs once the other end has handled it, `refused` if the other end cannot read
   * it; on a dead link, neither runs.
   */
  send(text: string, acknowledged?: () => void, refused?: (reason: string) => void): void {
    if (this.#closed || this.#cut) return;
    this.#unacknowledged.sent(acknowledged, refused);
    this.#transmit(text, this.#boardingAcknowledgement());
  }

  /** Calls `run` at the end of this turn of the event loop, before the messages that were sent in this turn leave. */
  atTurnEnd(run: () => void): void {
    if (this.#socket.atTurnEnd) this.#socket.atTurnEnd(run);
    else setImmediate(run);
  }

  /** Pings the other end; if a ping is not answered before the next one, the link closes. */
  ping(): void {
    if (this.#closed || this.#cut) return;
    if (this.#pingedAt !== undefined) return this.fail(closeCodes.silent, 'no answer to a ping');
    this.#pingedAt = this.#runtime.clock.monotonic();
    this.#onItsWay(() => this.#socket.ping());
  }

  /** Asks for a sign of life, and holds frames back until `done` is told whether it came. If not, cuts the link off. */
  proveAlive(withinMs: number, done: (alive: boolean) => void): void {
    if (this.#closed) return done(false);
    const cutOff = (why: string) => this.fail(closeCodes.silent, why);
    this.#signOfLife = new SignOfLife(this.#runtime.clock, withinMs, { done, cutOff });
    this.#onItsWay(() => this.#socket.ping(SignOfLife.question));
  }

  close(code: number = closeCodes.normal, reason = ''): void {
    if (this.#closed) return;
    this.#runtime.inFlight.sent(this.id); // a ping that is on its way counts as in flight, as a frame does
    this.#socket.close(code, closeReason(reason));
  }

  /** Ends the link without a handshake, as when a process dies; listeners receive the code and reason given. */
  fail(code: number, reason: string): void {
    this.#socket.terminate();
    this.#ended(code, reason);
  }

  /** Acts as a pulled cable: nothing leaves any more, and what arrives is lost; the other end is not notified. */
  cut(): void {
    this.#cut = true;
  }

  /**
   * Sets how long everything takes from now on, in each direction, in milliseconds of the clock; 0 means no delay.
   * Messages that are on their way when the link ends are lost.
   */
  slowDown(latencyMs: number): void {
    if (latencyMs === 0 && !this.#slow) return;
    const { clock } = this.#runtime;
    this.#slow ??= { out: new SlowLine(clock), in: new SlowLine(clock) };
    this.#slow.out.latencyMs = latencyMs;
    this.#slow.in.latencyMs = latencyMs;
  }

  #transmit(text: string, acknowledged?: number): void {
    if (this.#slow) return this.#onItsWay(() => this.#socket.send(text, acknowledged));
    if (this.#unread()) return;
    this.#runtime.inFlight.sent(this.id);
    this.#socket.send(text, acknowledged);
  }

  /** Gives the count of handled messages for the next message to carry, if the socket can do that. */
  #boardingAcknowledgement(): number | undefined {
    if (!this.#acknowledging || !this.#socket.carriesAcknowledgements) return undefined;
    this.#acknowledging = false;
    return this.#handled;
  }

  /** Sends a text that leaves the slow line, if the link still exists. */
  #put(send: () => void): void {
    if (this.#closed || this.#cut) return;
    if (this.#unread()) return;
    this.#runtime.inFlight.sent(this.id);
    send();
  }

  /** Whether the other end reads so little that the link is cut off. */
  #unread(): boolean {
    if (this.#socket.bufferedAmount <= longestBacklog) return false;
    this.fail(closeCodes.silent, 'the other end does not read');
    return true;
  }

  #received(frame: Frame): void {
    if (this.#closed) return;
    this.#usedAt = this.#runtime.realClock.monotonic();
    const working = this.#runtime.inFlight.begin();
    this.#runtime.inFlight.arrived(this.id);
    if (!this.#slow) return this.#take(frame, working);
    // Nothing counts as in flight while the frame is on its way, so that virtual time can pass.
    this.#slow.in.carry(() => this.#take(frame, this.#runtime.inFlight.begin()));
    working();
  }

  #take(frame: Frame, working: Done): void {
    if (this.#closed || this.#cut) return working();
    // The sign of life that the frame waits for counts as in flight by itself, or is a timer.
    if (this.#signOfLife?.holds(frame)) return working();
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
    const said = saidIn(json);
    if (said === undefined) return this.#work(() => this.#handler(json, text, data.length), working);
    if ('refused' in said) this.#peerRefused(said.refused, said.reason);
    else this.#peerAcknowledged(said.acknowledged);
    working();
  }

  #work(handle: () => void | Promise<unknown>, working: Done): void {
    const alone = this.#backlog === 0;
    this.#backlog++;
    let outcome: Promise<unknown> | undefined;
    try {
      outcome = handle() as Promise<unknown> | undefined;
    } catch (error) {
      if (!(error instanceof UnreadableMessage)) return this.#refuse(error, working);
      outcome = Promise.reject(error);
    }
    if (alone && !outcome) return this.#done(working);
    // Acknowledgements count messages in order, so a message that is done early waits for the messages before it.
    const inOrder = alone && outcome ? outcome : this.#afterThoseBefore(outcome);
    this.#handledPromised = inOrder.then(
      () => this.#done(working),
      (error) => this.#refuse(error, working),
    );
  }

  #afterThoseBefore(outcome: Promise<unknown> | undefined): Promise<unknown> {
    outcome?.catch(() => {}); // this message may fail while earlier ones are still being handled
    return this.#handledPromised.then(() => outcome);
  }

  #done(working: Done): void {
    this.#backlog--;
    this.#handled++;
    working();
    if (this.#acknowledging) return;
    this.#acknowledging = true;
    const pending = this.#runtime.inFlight.begin();
    this.atTurnEnd(() => {
      if (this.#acknowledging) this.#acknowledge();
      pending();
    });
  }

  /** Sends an acknowledgement of all messages handled so far, if no message carried it. */
  #acknowledge(): void {
    this.#acknowledging = false;
    if (this.#closed || this.#cut || this.#backlog > 0) return;
    if (this.#socket.carriesAcknowledgements) this.#transmit('', this.#handled);
    else this.#transmit(acknowledgementFrame(this.#handled));
  }

  #refuse(error: unknown, working: Done): void {
    this.#backlog--;
    if (error instanceof UnreadableMessage) this.#refuseMessage(error.message);
    working();
    if (error instanceof UnreadableMessage) return;
    if (error instanceof LinkError) return this.close(error.code, error.message);
    this.#runtime.journal.add('warning', {
      message: `link ${this.remote}: ${causeOf(error)}`,
    });
    this.close(closeCodes.internalError, 'internal error');
  }

  #refuseMessage(reason: string): void {
    this.#handled++;
    if (this.#closed || this.#cut) return;
    this.#transmit(refusal(this.#handled, reason));
  }

  #peerAcknowledged(count: number): void {
    if (this.#unacknowledged.acknowledge(count)) return;
    this.close(closeCodes.policy, 'acknowledged what was not sent');
  }

  #peerRefused(count: number, reason: string): void {
    if (this.#unacknowledged.refuse(count, reason)) return;
    this.close(closeCodes.policy, 'refused what was not sent or was acknowledged');
  }

  #pinged(data: Buffer): void {
    this.#cameIn(() => this.#onItsWay(() => this.#socket.pong(data)));
  }

  #ponged(data?: Buffer): void {
    this.#cameIn(() => {
      const signOfLife = this.#signOfLife;
      this.#pingedAt = undefined;
      if (!signOfLife?.isAnsweredBy(data)) return;
      this.#signOfLife = undefined;
      for (const frame of signOfLife.end(true)) this.#take(frame, this.#runtime.inFlight.begin());
    });
  }

  #onItsWay(send: () => void): void {
    if (this.#slow) this.#slow.out.carry(() => this.#put(send));
    else this.#put(send);
  }

  #cameIn(take: () => void): void {
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
