import type { TimerHandle } from '../clock.ts';
import type { Runtime } from '../runtime.ts';
import type { Channel } from './channel.ts';
import { ProtocolBreachError, type RecordKind, recordKinds } from './records.ts';
import { type CarrierSocket, maxChannelsPerSocket, mayArriveLate, SharedSocket } from './shared-socket.ts';

/**
 * The maximum number of bytes in the record that opens a channel. Node has the same limit for the headers of a request.
 */
const longestOpening = 16 * 1024;

type Headers = Record<string, string>;
export type ChannelRefusal = { refuse: number; reason: string };
/**
 * Uses the headers of the request to decide whether a channel is opened. Gives a refusal, or the function that is
 * called with the channel once the channel is open.
 */
type Admit = (headers: Headers) => Promise<ChannelRefusal | ((channel: Channel) => void)>;

/** The gateway's end of a shared socket. Each channel is opened with the key of one terminal. */
export class ChannelServer {
  readonly #runtime: Runtime;
  readonly #admit: Admit;
  readonly #socket: SharedSocket;
  /** The channels that are being opened. A channel remains here even if the other end no longer waits for it. */
  readonly #opening = new Map<number, { givenUp: boolean }>();
  #latest = 0;
  #idle: TimerHandle | undefined;
  #closing: { code: number; reason: string } | undefined;

  constructor(socket: CarrierSocket, runtime: Runtime, admit: Admit, ended: (server: ChannelServer) => void) {
    this.#runtime = runtime;
    this.#admit = admit;
    this.#socket = new SharedSocket(socket, runtime, {
      unopened: (kind, id, content) => this.#unopened(kind, id, content),
      emptied: () => this.#closeIfUnused(),
      ended: () => {
        runtime.realClock.clearTimeout(this.#idle);
        ended(this);
      },
    });
    this.#closeIfUnused();
  }

  /** Opens no channels from now on. Closes the socket when the last channel is gone. */
  close(code: number, reason: string): void {
    this.#closing = { code, reason };
    if (this.#socket.channels === 0) this.#socket.close(code, reason);
  }

  terminate(): void {
    this.#socket.terminate();
  }

  /** Ends the socket and its channels at once. */
  end(code: number, reason: string): void {
    this.#socket.end(code, reason);
  }

  /**
   * The moment when something last arrived on the socket, in milliseconds of the monotonic clock. A socket without
   * channels counts as unused for longer than any other socket.
   */
  get unusedSince(): number {
    return this.#socket.channels > 0 ? this.#socket.usedAt : Number.NEGATIVE_INFINITY;
  }

  #unopened(kind: RecordKind, id: number, content: Buffer): void {
    if (kind === recordKinds.open) return this.#openRequested(id, content);
    if (!mayArriveLate(kind) || id > this.#latest)
      throw new ProtocolBreachError('a record for a channel that was never opened');
    const opening = this.#opening.get(id);
    if (!opening) return;
    if (kind !== recordKinds.reset)
      throw new ProtocolBreachError('a record for a channel that is not open yet');
    opening.givenUp = true;
  }

  #openRequested(id: number, content: Buffer): void {
    if (id <= this.#latest) throw new ProtocolBreachError('a channel has the number of an earlier channel');
    if (this.#socket.channels + this.#opening.size >= maxChannelsPerSocket)
      throw new ProtocolBreachError(`more than ${maxChannelsPerSocket} channels`);
    const headers = headersIn(content);
    this.#latest = id;
    const opening = { givenUp: false };
    this.#opening.set(id, opening);
    const working = this.#runtime.inFlight.begin();
    void this.#open(id, headers, opening).finally(working);
  }

  async #open(id: number, headers: Headers, opening: { givenUp: boolean }): Promise<void> {
    const admitted = await this.#admitUnlessClosing(headers);
    // The end of an earlier channel is reported in this turn of the event loop. So the new channel is opened only in
    // the next turn. If each channel had a socket of its own, the order would be the same.
    await new Promise((resolve) => setImmediate(resolve));
    this.#opening.delete(id);
    if (opening.givenUp || !this.#socket.open) return;
    if (typeof admitted !== 'function') {
      const { refuse: status, reason } = admitted;
      return this.#socket.say(recordKinds.refused, id, JSON.stringify({ status, reason }));
    }
    this.#runtime.realClock.clearTimeout(this.#idle);
    const channel = this.#socket.add(id);
    this.#socket.put(channel, recordKinds.opened);
    admitted(channel);
  }

  #admitUnlessClosing(headers: Headers): ReturnType<Admit> {
    if (this.#closing) return Promise.resolve({ refuse: 503, reason: this.#closing.reason });
    return this.#admit(headers).catch(() => ({ refuse: 500, reason: 'the gateway failed' }));
  }

  /** Ends the socket if no channel is opened on it within the time limit. */
  #closeIfUnused(): void {
    if (this.#closing) return this.#socket.close(this.#closing.code, this.#closing.reason);
    const { realClock, timeouts } = this.#runtime;
    realClock.clearTimeout(this.#idle);
    this.#idle = realClock.setTimeout(() => {
      if (this.#socket.channels === 0) this.#socket.close();
    }, timeouts.acknowledgeMs);
  }
}

/** @throws ProtocolBreachError */
function headersIn(content: Buffer): Headers {
  if (content.length > longestOpening)
    throw new ProtocolBreachError('the request to open a channel is too long');
  let read: unknown;
  try {
    read = JSON.parse(content.toString());
  } catch {
    read = undefined;
  }
  if (
    typeof read !== 'object' ||
    read === null ||
    !Object.values(read).every((one) => typeof one === 'string')
  )
    throw new ProtocolBreachError('the request to open a channel has no headers');
  return { ...read } as Headers;
}
